"""Tables for bench/results/tables: accesses through PnetCDF over collio, over MPI-IO and by PnetCDF's own
I/O."""

from collections.abc import Callable

from benchmark_figures import figures

RIVALS = {
    "pnetcdf": "MPI-IO",
    "pnetcdf-tuned": "MPI-IO, tuned",
    "pnetcdf-gio": "GIO",
    "pnetcdf-gio-tuned": "GIO, tuned",
}


def tables(documents: list, pattern_of: Callable[[dict], str], library_of: Callable[[dict], str]) -> dict:
    """{operation: table}: the rivals' time ÷ the time over collio."""
    ordered = sorted(
        documents,
        key=lambda document: (
            document["machine"]["file_system"] != "tmpfs",
            pattern_of(document),
            document["mpi"],
            document["ranks"],
        ),
    )
    found = {}
    for operation in ("write", "read"):
        heads = [
            "on",
            "pattern",
            "ranks",
            "MPI library",
            *(f"{operation}, {words}" for words in RIVALS.values()),
            "floor",
            "memory, MiB",
            "memory of GIO",
        ]
        lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        for document in ordered:
            cells = [
                document["machine"]["file_system"],
                pattern_of(document),
                document["ranks"],
                library_of(document),
                *cells_of(document, operation),
            ]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        found[operation] = "\n".join(lines) + "\n"
    return found


def cells_of(document: dict, operation: str) -> list:
    rows = {
        row["engine"]: row for row in document["results"] if row["operation"] == operation and row["verified"]
    }
    failed = {row["engine"] for row in document["results"] if not row["verified"]}
    mine = rows.get("pnetcdf-collio")
    speedups = [
        figures(rows[engine]["median_s"] / mine["median_s"])
        if mine and engine in rows
        else "failed"
        if engine in failed
        else ""
        for engine in (*RIVALS, "floor")
    ]
    return speedups + [
        f"{rows[engine]['peak_rss_above_buffer_bytes'] / 2**20:.0f}" if engine in rows else ""
        for engine in ("pnetcdf-collio", "pnetcdf-gio")
    ]
