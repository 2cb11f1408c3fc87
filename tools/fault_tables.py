"""The tables of docs/design/faults.md, and the same in full as CSV, from the outcomes of
tools/fault_matrix."""

import collections
import json

from csv_tables import csv_of

WAYS = ("two_phase", "two_phase, fence", "two_phase, lock", "two_layer", "independent")
BEGIN, END = "<!-- {}: made by tools/fault_matrix -->", "<!-- end -->"


OUTCOME = ("fault", "direction", "right", "verdict", "milliseconds")


def pack(rows):
    """Rows that differ only in their fault together, those that are not right whole: {"configurations":
    [...], "wrong": [...]}."""
    groups = collections.defaultdict(list)
    for row in rows:
        configuration = (
            tuple((key, value) for key, value in row.items() if key not in OUTCOME) if row["right"] else None
        )
        groups[configuration].append(row)
    wrong = groups.pop(None, [])
    return {
        "configurations": [
            {**dict(one), "outcomes": [[row[key] for key in OUTCOME] for row in group]}
            for one, group in groups.items()
        ],
        "wrong": wrong,
    }


def unpack(document):
    """The rows again."""
    return document["wrong"] + [
        {**{key: value for key, value in one.items() if key != "outcomes"}, **dict(zip(OUTCOME, outcome))}
        for one in document["configurations"]
        for outcome in one["outcomes"]
    ]


def write(document, results):
    """Puts the tables in their places in the document, and into ../tables; what of collio's outcomes was not
    right."""
    pages, tables, bad = read(results)
    text = document.read_text()
    for name, table in pages.items():
        begin = BEGIN.format(name)
        before, _, rest = text.partition(begin)
        text = before + begin + "\n" + table + END + rest.partition(END)[2]
    document.write_text(text)
    for name, table in tables.items():
        (results.parent / "tables" / f"faults-{name}.csv").write_text(csv_of(table))
    return bad


def read(results):
    """({name: table of the page}, {name: table in full}, what was not right)."""
    injected, real, subfiled, library = (
        {
            path.stem.removeprefix(f"{kind}-"): json.loads(path.read_text())
            for path in sorted(results.glob(f"{kind}-*.json"))
        }
        for kind in ("injected", "real", "subfiles", "library")
    )
    for found in injected.values():
        found["rows"] = unpack(found)
    pages = {"injected": summary_table(injected)}
    tables = {
        "injected": injected_table(injected),
        "real": real_table(real),
        "subfiles": real_table(subfiled),
        "library": library_table(library),
    }
    bad = (
        wrong(injected, real)
        + wrong_over_subfiles(subfiled)
        + [f"{mpi}: {row}" for mpi, found in library.items() for row in found["rows"] if not row["right"]]
    )
    return pages, tables, bad


def summary_table(libraries):
    """Rows: faults. Drills by outcome, whatever moves the bytes."""
    cells = collections.defaultdict(collections.Counter)
    for found in libraries.values():
        for row in found["rows"]:
            cells[f"{row['direction']}: {row['fault']}"][
                row["verdict"] + ("" if row["right"] else " (WRONG)")
            ] += 1
    rows = [
        (fault, "; ".join(f"{verdict} ({count})" for verdict, count in counts.most_common()))
        for fault, counts in cells.items()
    ]
    lines = ["| fault | drills |", "| --- | --- |", *grouped(rows)]
    total = sum(len(found["rows"]) for found in libraries.values())
    return "\n".join(
        [*lines, "", f"{total} drills, {ranks_of(libraries)} ranks, on {', '.join(libraries)}.", ""]
    )


def grouped(rows):
    """Lines of (fault, cell, ...): faults with the same cells in one."""
    groups = collections.defaultdict(list)
    for fault, *outcome in rows:
        groups[tuple(outcome)].append(fault)
    return [f"| {'; '.join(faults)} | {' | '.join(outcome)} |" for outcome, faults in groups.items()]


def injected_table(libraries):
    """Rows: faults; columns: ways to move bytes. A cell counts the drills by outcome."""
    cells = collections.defaultdict(collections.Counter)
    for found in libraries.values():
        for row in found["rows"]:
            cells[row["direction"], row["fault"], way_of(row)][
                row["verdict"] + ("" if row["right"] else " (WRONG)")
            ] += 1
    lines = ["| fault | " + " | ".join(WAYS) + " |", "| --- |" + " --- |" * len(WAYS)]
    for direction, fault in dict.fromkeys(key[:2] for key in cells):
        told = [
            "; ".join(f"{verdict} ({count})" for verdict, count in cells[direction, fault, way].most_common())
            for way in WAYS
        ]
        lines.append(f"| {direction}: {fault} | " + " | ".join(told) + " |")
    total = sum(len(found["rows"]) for found in libraries.values())
    lines += ["", f"{total} drills, {ranks_of(libraries)} ranks, on {', '.join(libraries)}.", ""]
    return "\n".join(lines)


def library_table(libraries):
    """Rows: faults; columns: forms of the library's calls. A cell counts the drills by outcome."""
    cells = collections.defaultdict(collections.Counter)
    for found in libraries.values():
        for row in found["rows"]:
            fault = f"{row['direction']}: {row['fault']}" if "direction" in row else row["fault"]
            cells[fault, row["form"]][row["verdict"] + ("" if row["right"] else " (WRONG)")] += 1
    forms = list(dict.fromkeys(form for _, form in cells))
    lines = ["| fault | " + " | ".join(forms) + " |", "| --- |" + " --- |" * len(forms)]
    for fault in dict.fromkeys(fault for fault, _ in cells):
        told = [
            "; ".join(f"{verdict} ({count})" for verdict, count in cells[fault, form].most_common())
            for form in forms
        ]
        lines.append(f"| {fault} | " + " | ".join(told) + " |")
    total = sum(len(found["rows"]) for found in libraries.values())
    return "\n".join(
        [*lines, "", f"{total} drills, {ranks_of(libraries)} ranks, on {', '.join(libraries)}.", ""]
    )


def way_of(row):
    transfer = row.get("collio_transfer", "two_sided")
    return row["collio_path"] if transfer == "two_sided" else f"{row['collio_path']}, {transfer}"


def real_table(libraries):
    """Rows: faults; columns: the I/O and the MPI library. Blocking and nonblocking calls in one cell where
    they end alike."""
    columns = [
        (mpi, engine)
        for mpi, found in libraries.items()
        for engine in dict.fromkeys(row["engine"] for row in found["rows"])
    ]
    cells = collections.defaultdict(dict)
    for mpi, found in libraries.items():
        for row in found["rows"]:
            cells[row["fault"], mpi, row["engine"]][row["form"]] = row["verdict"]
    lines = [
        "| fault | " + " | ".join(f"{engine}, {mpi}" for mpi, engine in columns) + " |",
        "| --- |" + " --- |" * len(columns),
    ]
    lines += grouped(
        [
            (fault, *(_forms(cells.get((fault, *column), {})) for column in columns))
            for fault in dict.fromkeys(key[0] for key in cells)
        ]
    )
    return "\n".join([*lines, "", ""])


def _forms(verdicts):
    if len(set(verdicts.values())) == 1:
        return next(iter(verdicts.values()))
    return "; ".join(f"{form}: {verdict}" for form, verdict in verdicts.items()) or "not run"


def ranks_of(libraries):
    return ", ".join(sorted({str(found["ranks"]) for found in libraries.values()}))


def wrong(injected, real):
    """Lines about collio's own outcomes that are not honest."""
    bad = [f"{mpi}: {row}" for mpi, found in injected.items() for row in found["rows"] if not row["right"]]
    return bad + [
        f"{mpi}: {row['fault']}, {row['form']}: {row['verdict']}"
        for mpi, found in real.items()
        for row in found["rows"]
        if row["engine"] == "collio" and lied(row["verdict"])
    ]


def wrong_over_subfiles(libraries):
    """The same, of files in subfiles."""
    return [
        f"{mpi}: subfiles, {row['fault']}, {row['engine']}, {row['form']}: {row['verdict']}"
        for mpi, found in libraries.items()
        for row in found["rows"]
        if lied(row["verdict"])
    ]


def lied(verdict):
    return any(
        word in verdict
        for word in ("hang", "crash", "missing", "only", "different", "damaged", "second try", "not named")
    )
