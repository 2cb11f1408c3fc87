"""Sections of docs/benchmarks.md: speed-ups over the fastest rival, beside what is aimed at, and whole
programs."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmark_figures import figures, geometric_mean

AIMS = {
    "below 1 KiB": 2.0,
    "1 to 8 KiB": 1.3,
    "above 8 KiB": 0.97,
    "one a call, 1 KiB": 0.97,
    "one a call, larger": 0.97,
}
"""Of pieces, in words; the speed-up aimed at."""
ONE_A_CALL = ("ior", "hacc", "contiguous")
"""Patterns in which a rank has one piece in each call."""
PROGRAM_AIM = 0.97
FRONTS = {
    "collio": ("MPI-IO", ("native", "native-tuned")),
    "pnetcdf-collio": ("PnetCDF", ("pnetcdf", "pnetcdf-tuned", "pnetcdf-gio", "pnetcdf-gio-tuned")),
}
"""Engine of collio: what the program calls, and the rivals."""
LEAST_SHARE = 0.05

AIMS_TEXT = """\
Time of the fastest rival ÷ time of collio, for accesses alone. Rivals are the MPI library's own I/O, and
PnetCDF's I/O where the program calls PnetCDF, each with default and tuned settings. Aims: 2 for pieces below
1 KiB, 1.3 for 1 to 8 KiB, never below 0.97. Where a rank has one piece a call, the fastest settings let each
rank access the file independently, without sharing errors. collio synchronizes once a call.
"""
PROGRAMS_TEXT = """\
From the launch to the end of a job that makes five checkpoints, or reads them: `mpiexec` alone with the
fastest settings of the MPI library ÷ the same under `collio run` without any. These jobs take 0.4 to 8 s, of
which `collio run` itself takes 0.05 to 0.1 s; `programs.csv` lists each.
"""


@dataclass(frozen=True)
class Case:
    """One operation of one document against its fastest rival."""

    pattern: str
    place: str
    ranks: int
    library: str
    front: str
    operation: str
    piece_bytes: float
    speedup: float
    most: float | None
    shares: dict

    @property
    def pieces(self) -> str:
        """A key of AIMS."""
        if self.pattern.split(",")[0] in ONE_A_CALL:
            return "one a call, 1 KiB" if self.piece_bytes <= 1024 else "one a call, larger"
        return (
            "below 1 KiB"
            if self.piece_bytes < 1024
            else "1 to 8 KiB"
            if self.piece_bytes <= 8192
            else "above 8 KiB"
        )

    @property
    def aim(self) -> float:
        return AIMS[self.pieces]

    @property
    def met(self) -> bool:
        return round(self.speedup, 2) >= self.aim


def cases_of(document: dict, pattern: str, library: str) -> list:
    """The cases of a document of `collio bench`; none without tuned rivals."""
    rows = {(row["engine"], row["operation"]): row for row in document["results"] if row["verified"]}
    found = []
    for (engine, operation), row in rows.items():
        front, names = FRONTS.get(engine, ("", ()))
        rivals = [rows[name, operation]["median_s"] for name in names if (name, operation) in rows]
        if not any((name, operation) in rows for name in names if name.endswith("tuned")):
            continue
        floor = rows.get(("floor", operation))
        found.append(
            Case(
                pattern,
                "lab" if "lab" in document else document["machine"]["file_system"],
                document["ranks"],
                library,
                front,
                operation,
                document["bytes"] / document["pieces"],
                min(rivals) / row["median_s"],
                min(rivals) / floor["median_s"] if floor else None,
                shares_of(row),
            )
        )
    return found


def shares_of(row: dict) -> dict:
    """Steps of collio's calls as parts of the time, the setting of views, and what is left of it.

    Steps are of a run of their own. Where a document does not say how long that took, it took no less than
    they did.
    """
    seconds = dict(row.get("steps_s", {}))
    if not seconds:
        return {}
    seconds["set view"] = row.get("reported_set_view_s", row["parts_median_s"]["set_view_s"])
    whole = max(row.get("reported_s", row["median_s"]), sum(seconds.values()))
    seconds["program"] = whole - sum(seconds.values())
    return {step: spent / whole for step, spent in seconds.items()}


def sections(cases: list) -> list:
    """The table of means by size of the pieces."""
    if not cases:
        return []
    return ["## Against the fastest rival\n", AIMS_TEXT, means(cases)]


def means(cases: list) -> str:
    lines = ["| program calls | pieces | on | cases | write | reached | read | reached |", "|" + " --- |" * 8]
    for front in dict.fromkeys(case.front for case in cases):
        for words in AIMS:
            for place in sorted({case.place for case in cases}, key=lambda place: place != "tmpfs"):
                mine = [
                    case for case in cases if (case.front, case.pieces, case.place) == (front, words, place)
                ]
                if mine:
                    cells = [front, words, place, len(mine) // 2]
                    for operation in ("write", "read"):
                        some = [case for case in mine if case.operation == operation]
                        cells += [
                            figures(geometric_mean([case.speedup for case in some])),
                            f"{sum(case.met for case in some)} of {len(some)}",
                        ]
                    lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def missed_table(cases: list) -> str:
    """The cases that miss their aim, with the parts of collio's time. *most*: the fastest rival's time ÷ the
    floor."""
    missed = sorted(
        (case for case in cases if not case.met),
        key=lambda case: (case.front, case.pattern, case.place, case.library, case.ranks, case.operation),
    )
    lines = [
        "| program calls | pattern | on | MPI library | ranks | operation | speed-up | aim | most | time "
        "goes to |",
        "|" + " --- |" * 10,
    ]
    for case in missed:
        parts = sorted(
            ((share, step) for step, share in case.shares.items() if share >= LEAST_SHARE), reverse=True
        )
        told = ", ".join(f"{step} {100 * share:.0f} %" for share, step in parts)
        cells = [
            case.front,
            case.pattern,
            case.place,
            case.library,
            case.ranks,
            case.operation,
            figures(case.speedup),
            case.aim,
            figures(case.most) if case.most else "",
            told,
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


Words = Callable[[dict], str]


def programs(documents: list) -> list:
    """The section on whole programs; none where nothing was measured."""
    if not documents:
        return []
    ratios = [[one["speed_up"][operation] for one in documents] for operation in ("write", "read")]
    ends = [figures(geometric_mean(some)) for some in ratios]
    reached = [f"{sum(round(ratio, 2) >= PROGRAM_AIM for ratio in some)} of {len(some)}" for some in ratios]
    lows = [figures(min(some)) for some in ratios]
    cells = {"geometric mean": ends, "lowest": lows, f"{PROGRAM_AIM} or more": reached}
    lines = [
        "| | write | read |",
        "| --- | --- | --- |",
        *(f"| {words} | {' | '.join(some)} |" for words, some in cells.items()),
    ]
    return ["## Whole programs\n", PROGRAMS_TEXT, "\n".join(lines) + "\n"]


def programs_table(documents: list, pattern_of: Words, library_of: Words) -> str:
    lines = ["| pattern | on | MPI library | ranks | write | read |", "|" + " --- |" * 6]
    for document in sorted(
        documents,
        key=lambda document: (pattern_of(document), document["dir"], document["mpi"], document["ranks"]),
    ):
        cells = [
            pattern_of(document),
            document["machine"]["file_system"],
            library_of(document),
            document["ranks"],
        ]
        cells += [figures(document["speed_up"][operation]) for operation in ("write", "read")]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"
