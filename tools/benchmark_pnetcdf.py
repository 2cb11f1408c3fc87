"""A section of docs/benchmarks.md: accesses through PnetCDF over collio, over MPI-IO and by PnetCDF's own I/O."""

from collections.abc import Callable

from benchmark_figures import figures

RIVALS = {"pnetcdf": "MPI-IO", "pnetcdf-tuned": "MPI-IO, tuned", "pnetcdf-gio": "GIO", "pnetcdf-gio-tuned": "GIO, tuned"}
TEXT = """\
PnetCDF's nonblocking calls ([how](../bench/README.md#through-pnetcdf)) over collio, against the same calls over the MPI library's own I/O, and over
PnetCDF's own I/O (GIO). Speed-up is their time ÷ the time over collio. PnetCDF sorts the pieces and makes datatypes of them in all of these.
"""


def section(documents: list, pattern_of: Callable[[dict], str], library_of: Callable[[dict], str]) -> list:
    """A table for each operation; none where nothing was measured."""
    if not documents:
        return []
    ordered = sorted(documents, key=lambda document: (document["machine"]["file_system"] != "tmpfs", pattern_of(document), document["mpi"], document["ranks"]))
    parts = ["## Through PnetCDF\n", TEXT]
    for operation in ("write", "read"):
        heads = ["on", "pattern", "ranks", "MPI library", *(f"{operation}, {words}" for words in RIVALS.values()), "floor", "memory, MiB", "memory of GIO"]
        lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        for document in ordered:
            cells = [document["machine"]["file_system"], pattern_of(document), document["ranks"], library_of(document), *cells_of(document, operation)]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        parts.append("\n".join(lines) + "\n")
    return parts


def cells_of(document: dict, operation: str) -> list:
    rows = {row["engine"]: row for row in document["results"] if row["operation"] == operation and row["verified"]}
    failed = {row["engine"] for row in document["results"] if not row["verified"]}
    mine = rows.get("pnetcdf-collio")
    speedups = [figures(rows[engine]["median_s"] / mine["median_s"]) if mine and engine in rows else "failed" if engine in failed else "" for engine in (*RIVALS, "floor")]
    return speedups + [f"{rows[engine]['peak_rss_above_buffer_bytes'] / 2**20:.0f}" if engine in rows else "" for engine in ("pnetcdf-collio", "pnetcdf-gio")]
