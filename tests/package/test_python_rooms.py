"""No module of python/collio imports another that, by whatever way, imports it; nor does a folder. Imports
for types alone count."""

import ast

import source_tree

PACKAGE = source_tree.ROOT / "python/collio"


def room_of(module):
    """ "lab" of "collio.lab.network"; "" of modules that are in no folder."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else ""


def imported_modules(path):
    """Modules of collio that a file imports, inside of functions as well."""
    package = ["collio", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "collio")
        elif isinstance(node, ast.ImportFrom):
            base = (
                [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
                if node.level
                else node.module.split(".")
            )
            if base[0] == "collio":  # the name may be a room: `from collio import machine_file`
                yield from (".".join([*base, alias.name]) for alias in node.names)


def rooms_used():
    """{room: rooms it imports from}."""
    used = {}
    for path in source_tree.files("python/collio", suffixes=(".py",)):
        parts = path.relative_to(PACKAGE).parts
        own = parts[0] if len(parts) > 1 else ""
        used.setdefault(own, set()).update(
            room for module in imported_modules(path) if (room := room_of(module)) != own
        )
    return used


def modules_used():
    """{module: modules it imports}; a folder's module is its __init__.py."""
    paths = {}
    for path in source_tree.files("python/collio", suffixes=(".py",)):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    used = {}
    for module, path in paths.items():
        # A name that is no module is one of the module before its last dot.
        found = {name if name in paths else name.rpartition(".")[0] for name in imported_modules(path)}
        used[module] = found & paths.keys() - {module}
    return used


def cycle_in(used):
    """Rooms or modules that import each other in a ring; None where there is none."""
    done = set()

    def walk(room, way):
        if room in way:
            return [*way[way.index(room) :], room]
        if room in done:
            return None
        found = next(
            (ring for other in sorted(used.get(room, ())) if (ring := walk(other, [*way, room]))), None
        )
        done.add(room)
        return found

    return next((ring for room in sorted(used) if (ring := walk(room, []))), None)


def test_rooms_import_each_other_one_way():
    ring = cycle_in(rooms_used())
    assert not ring, "imports go round: " + " -> ".join(room or "collio" for room in ring)


def test_modules_import_each_other_one_way():
    ring = cycle_in(modules_used())
    assert not ring, "imports go round: " + " -> ".join(ring)


def test_cycles_are_found():
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


def test_imports_in_functions_count():
    assert {"report", "topology", "machine_file"} <= rooms_used()["run"]


def test_modules_and_their_names_count():
    used = modules_used()
    assert {"collio.library.native", "collio.library.errors"} <= used["collio.library.request"]
    assert "collio.library.file" in used["collio.library"]
