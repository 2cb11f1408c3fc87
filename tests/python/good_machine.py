"""A machine file that is right, as text and as values that a test changes."""

TOML = """
format = "collio-machine/1"
name = "two"
note = "a note"
[nodes]
count = 2
ranks = [1, 3]
names = ["alpha", "beta.site"]
[network]
shape = "switch"
link = "80Mbit/s"
[storage]
targets = 2
rate = ["1MB/s", "2MB/s"]
capacity = "1MiB"
"""


def values(**changes):
    """A good file's values; "nodes.count" as nodes__count, None to leave a key out."""
    good = {
        "format": "collio-machine/1",
        "name": "x",
        "nodes": {"count": 4, "ranks": 2},
        "network": {"shape": "tree", "racks": 2, "link": "1Gbit/s", "uplink": "1Gbit/s"},
        "storage": {"targets": 2},
    }
    for path, value in changes.items():
        *tables, key = path.split("__")
        table = good
        for name in tables:
            table = table[name]
        if value is None:
            del table[key]
        else:
            table[key] = value
    return good
