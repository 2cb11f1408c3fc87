"""Records of a report with all the fields that they must have; a test gives those that it is about."""

from collio.report.records import FIELDS

EMPTY = {"Text": "", "Count": 0, "Bytes": 0, "Seconds": 0.0, "Number": 0.0, "Flag": False, "Table": {}}


def whole(kind, /, **fields):
    """A record, the fields that are not given empty. Records within may be given in part; None is for a field
    that may be absent."""
    record = {
        key: _whole_value(one, None)
        for key, one in FIELDS[kind].items()
        if not one.startswith(("Maybe<", "NameOrNull"))
    }
    return {
        **record,
        **{key: _whole_value(FIELDS[kind][key], value) for key, value in fields.items() if value is not None},
    }


def _whole_value(kind, value):
    kind = kind[6:-1] if kind.startswith("Maybe<") else kind
    if kind in FIELDS and (value is None or isinstance(value, dict)):
        return whole(kind, **(value or {}))
    if kind.startswith("List<") and isinstance(value, list):
        return [_whole_value(kind[5:-1], one) for one in value]
    return value if value is not None else EMPTY.get(kind, [])


def call(**fields):
    return whole("Call", **{"form": "blocking", "repeats": 1, **fields})


def file(**fields):
    return whole("File", **{"id": "here:1:1", "files": 1, "comm_size": 1, **fields})
