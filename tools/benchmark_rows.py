"""Results of benchmarks as rows of a table."""

from dataclasses import dataclass, field
from pathlib import Path

from benchmark_figures import figures

NO_GAIN = 1.05
"""Speed-ups below this count as none: runs of one build differ by so much."""


@dataclass(frozen=True)
class Row:
    """One opponent in one document, by operation."""

    place: str
    pattern: str
    ranks: int
    opponent: str
    speedup: dict
    floor: dict
    memory_mib: float  # of collio
    tuned: dict = field(default_factory=dict)  # the speed-up over the opponent's fastest settings
    settings: dict = field(default_factory=dict)  # those settings

    @property
    def key(self) -> tuple:
        return self.place, self.pattern, self.ranks, self.opponent

    def cells(self, tuned: bool) -> list:
        order = [
            (of, operation)
            for operation in ("write", "read")
            for of in ((self.speedup, self.tuned) if tuned else (self.speedup,))
        ]
        order += [(self.floor, "write"), (self.floor, "read")]
        ratios = [figures(of[operation]) if operation in of else "" for of, operation in order]
        return [self.pattern, self.ranks, self.opponent, *ratios, f"{self.memory_mib:.0f}"]

    def loses(self) -> bool:
        return any(ratio < NO_GAIN for of in (self.speedup, self.tuned) for ratio in of.values())


def rows_of(path: Path, document: dict) -> list:
    """Rows of a document's opponents; none where only settings of collio are compared."""
    figures_of = {}
    for result in document["results"]:
        figures_of.setdefault(result["engine"], {})[result["operation"]] = result
    if "collio" not in figures_of:  # settings of collio, or what goes through PnetCDF
        return []
    memory = max(one["peak_rss_above_buffer_bytes"] for one in figures_of["collio"].values()) / 2**20
    place = place_of(path, document)
    tuned = {operation: row for operation, row in figures_of.pop("native-tuned", {}).items() if operation}
    if tuned:
        figures_of.setdefault("native", {})
    floor = ratios(figures_of.pop("floor", {}))
    return [
        Row(
            place,
            pattern_text(document),
            document["ranks"],
            opponent_text(engine, document["mpi"]),
            ratios(by),
            floor,
            memory,
            *(
                (ratios(tuned), {operation: row["settings"] for operation, row in tuned.items()})
                if engine == "native"
                else ()
            ),
        )
        for engine, by in figures_of.items()
        if not engine.startswith("collio")
    ]


def ratios(by_operation: dict) -> dict:
    return {
        operation: one["ratio_to_collio"]
        for operation, one in by_operation.items()
        if one.get("ratio_to_collio")
    }


def pattern_text(document: dict) -> str:
    """The pattern with the size of its pieces and, where there are more than one, its time steps."""
    steps = int(document["parameters"].get("steps", 1))
    return one_step_text(document) + (f", {steps} steps" if steps > 1 else "")


def one_step_text(document: dict) -> str:
    given, name = document["parameters"], document["pattern"]
    if name == "interleave":
        return (
            "interleave, irregular 8 to 64 B"
            if "irregular" in given
            else f"interleave, {size_text(given['size'])}"
        )
    if name in ("e3sm", "mpas"):
        variables = str(given["variables"])
        count = (
            sum(int(word) for word in variables.split(","))
            if name == "mpas" or "," in variables
            else int(variables)
        )
        return f"{name}, {given['element-size']} B elements, {count} variable{'s' if count > 1 else ''}"
    if name == "ior":
        calls = f"ior, calls of {size_text(given['transfer'])}"
        return (
            f"{calls}, strided"
            if given["transfer"] == given["block"]
            else f"{calls}, segmented"
            if given["segments"] == "1"
            else calls
        )
    if name == "hacc":
        return f"hacc, {given['layout']}"
    if name == "contiguous":
        return f"contiguous, {size_text(given['size'])} blocks"
    if name == "btio":
        return f"btio, {given['n']}^3 cells"
    shapes = {"s3d": "s3d, {nx} x {ny} x {nz}", "wrf": "wrf, {ny} x {nx} columns"}
    return shapes.get(name, name).format(**given)


def size_text(count: str) -> str:
    """4096 as 4 KiB; a text with a unit as it is."""
    if not count.isdigit():
        return count
    return (
        f"{int(count) // 2**20} MiB"
        if int(count) % 2**20 == 0
        else f"{int(count) // 2**10} KiB"
        if int(count) % 2**10 == 0
        else f"{count} B"
    )


def library_text(document: dict) -> str:
    return opponent_text("native", document["mpi"]).removesuffix(", default")


def opponent_text(engine: str, mpi: str) -> str:
    family, _, version = mpi.partition("-")
    library = f"{'Open MPI' if family == 'openmpi' else 'MPICH'} {version}"
    if engine == "native":
        return f"{library}, default" if family == "openmpi" else library
    return f"{library}, {engine.removeprefix('ompi-').replace('romio', 'ROMIO')}"


def place_of(path: Path, document: dict) -> str:
    return "lab" if path.parent.name == "lab" else document["machine"]["file_system"]
