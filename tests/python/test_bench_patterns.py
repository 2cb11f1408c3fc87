"""The patterns of `collio bench`: what they consist of, and that collio and the MPI library's own I/O leave
the same bytes."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import shared_memory

from collio import sizes
from collio.bench import engines, launcher
from collio.bench.command import bench
from collio.bench.patterns import PATTERNS, tile
from collio.bench.patterns.row import Size
from collio.bench.patterns.rows import ROWS
from collio.builds import Build
from lab_stage import some_mpi  # noqa: F401

README = Path(__file__).parents[2] / "bench" / "README.md"
KIB = 1024
# Options, ranks, bytes of all ranks, pieces of the file of all ranks.
SHAPES = [
    (["ior", "--transfer", "4KiB", "--block", "12KiB", "--segments", 2], 3, 3 * 24 * KIB, 3 * 6),
    (["tile", "--tile-x", 5, "--tile-y", 7], 6, 6 * 5 * 7 * 256, 6 * 7),
    (["tile", "--tile-x", 5, "--tile-y", 7, "--tiles-x", 1], 4, 4 * 5 * 7 * 256, 4),
    (["tile", "--element-size", "1MiB", "--tile-x", 2, "--tile-y", 2], 2, 2 * 4096 * KIB, 2 * 2),
    (["flash", "--blocks", 2], 3, 3 * 24 * 2 * 8**3 * 8, 3 * 24),
    (["flash", "--blocks", 1, "--nxb", "16"], 2, 2 * 24 * 16**3 * 8, 2 * 24),
    (["gcrm", "--level", 4, "--layers", 3], 6, 38 * 10 * 4**4 * 3 * 4, 6 * 38),
    # two ranks have none
    (["gcrm", "--level", 3, "--blocks-level", 0, "--layers", 1], 12, 38 * 10 * 4**3 * 4, 10 * 38),
    (["hacc", "--particles", 1001], 3, 3 * 1001 * 38, 3),
    (["hacc", "--particles", 1001, "--layout", "soa"], 3, 3 * 1001 * 38, 3 * 9),
    (["collperf", "--nz", 8, "--ny", 6, "--nx", 10], 8, 8 * 6 * 10 * 4, 8 * 4 * 3),
    (["lattice4d", "--edge", 2, "--site", 24], 8, 8 * 2**4 * 24, 8 * 4),  # x is not cut
    # 3 + 2 planes, 2 + 1 rows
    (["collperf", "--nz", 5, "--ny", 3, "--nx", 2], 4, 5 * 3 * 2 * 4, 2 + 2 + 3 + 3),
    (["collperf", "--nz", 4, "--ny", 3, "--nx", 2], 3, 4 * 3 * 2 * 4, 2),  # 2 + 2 + 0 planes
]


def pattern_id(shape):
    return "-".join(str(word).removeprefix("--") for word in shape[0])


@pytest.fixture
def bench_program(real_mpi):
    program = Build.of(real_mpi).program("collio_bench")
    if not program.exists():
        pytest.skip("collio_bench is not built")
    return program


@pytest.mark.parametrize("shape", SHAPES, ids=pattern_id)
def test_engines_leave_the_same_bytes_and_read_each_others(real_mpi, bench_program, tmp_path, shape):
    shared_memory.needed_by_openmpi(real_mpi)
    words, ranks, size, pieces = shape
    setup = launcher.Setup(real_mpi, Build.of(real_mpi), ranks=ranks, timeout_s=100, scratch=tmp_path)

    def run(engine, operation, file):
        arguments = [
            str(bench_program),
            "--pattern",
            *map(str, words),
            "--file",
            str(tmp_path / file),
            "--operation",
            operation,
            "--keep",
        ]
        outcome = launcher.measure(setup, engines.parse_engine(engine, real_mpi), arguments)
        assert outcome.error is None, outcome.error
        (line,) = outcome.lines
        assert line["verified"] and (line["bytes"], line["file_bytes"], line["pieces"]) == (
            size,
            size,
            pieces,
        )

    for engine in ("collio", "native"):
        run(engine, "write", engine)
    assert (tmp_path / "collio").read_bytes() == (tmp_path / "native").read_bytes()
    run("collio", "read", "native")
    run("native", "read", "collio")


@pytest.mark.parametrize(
    "operation, said",
    [("write", "of the file is 238, expected"), ("read", "1 of 786432 bytes read are wrong")],
)
def test_a_wrong_place_in_memory_is_found(real_mpi, bench_program, tmp_path, operation, said):
    """A library that writes from a guard cell, or reads into one."""
    shared_memory.needed_by_openmpi(real_mpi)
    library = tmp_path / "guard.so"
    source = Path(__file__).parent / "programs" / "guard_cells.c"
    subprocess.run(
        [real_mpi.mpicc, "-shared", "-fPIC", "-o", str(library), str(source)], check=True, timeout=120
    )
    setup = launcher.Setup(real_mpi, Build.of(real_mpi), ranks=1, timeout_s=100)
    arguments = ["env", f"LD_PRELOAD={library}", str(bench_program), "--pattern", "flash", "--blocks", "1"]
    arguments += ["--file", str(tmp_path / "data"), "--operation", operation]
    outcome = launcher.measure(setup, engines.parse_engine("native", real_mpi), arguments)
    assert said in outcome.error


@pytest.mark.parametrize(
    "words, said",
    [
        (["ior", "--transfer", 3000, "--block", 4096], "no multiple of --transfer 3000"),
        (["tile", "--tiles-x", 3], "no divisor of the 4 ranks"),
        (["flash", "--nxb", 12], "not one of '8', '16'"),
        (["hacc", "--layout", "both"], "not one of 'aos', 'soa'"),
        (["collperf", "--nx", 0], "1<=x<=8192"),
        (["gcrm", "--level", 3, "--blocks-level", 4], "--blocks-level is 4; allowed: 0 to --level (3)"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_bad_options_are_named(site, cli, tmp_path, words, said):
    done = cli("bench", *words, "--mpi", "mpich-9.9.1", "--ranks", 4, "--dir", tmp_path)
    assert done.exit_code == 2 and said in done.output


@pytest.mark.parametrize(
    "words, said",
    [
        (
            ["ior", "--transfer", "3000", "--block", "4096"],
            "--block is 4096; allowed: multiples of --transfer (3000)",
        ),
        (["tile", "--tiles-x", "2"], "--tiles-x is 2; allowed: 1 to 1"),
        (["flash", "--nxb", "12"], "--nxb is '12'; allowed: 8, 16"),
        (["hacc", "--layout", "both"], "--layout is 'both'; allowed: aos, soa"),
        (["gcrm", "--level", "13"], "--level is 13; allowed: 3 to 12"),
        (["gcrm", "--blocks-level", "7"], "--blocks-level is 7; allowed: 0 to 6"),
        (["collperf", "--nw", "3"], "--nw is no option of this pattern"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_program_names_bad_options(some_mpi, tmp_path, words, said):
    program = Build.of(some_mpi).program("collio_bench")
    if not program.exists():
        pytest.skip("collio_bench is not built")
    setup = launcher.Setup(some_mpi, Build.of(some_mpi), ranks=1, timeout_s=100)
    arguments = [str(program), "--pattern", *words, "--file", str(tmp_path / "data")]
    job = launcher.job_of(setup, engines.parse_engine("native", some_mpi), arguments)
    done = subprocess.run(
        job.words, env=job.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100
    )
    assert done.returncode == 2 and said in done.stdout.decode()


def usual(text):
    """A default as the program lists it: "4MiB", the first of "aos|soa"; None for what has none: "N",
    "FILE"."""
    first = text.split("|")[0]
    return None if first.isupper() and not first.isdecimal() else sizes.parse_size(first) or first


MADE = {("e3sm", "--map-binary"), ("mpas", "--map-binary"), ("mpas", "--decomposition")}
"""Options of the program that the command gives: it makes the map, and writes all three decompositions of an
ocean's mesh."""


def test_the_program_and_the_command_have_the_same_options(bench_program):
    listed = subprocess.run(
        [str(bench_program), "--list"], stdout=subprocess.PIPE, check=True, timeout=60
    ).stdout.decode()
    compared = 0
    for line in map(json.loads, listed.splitlines()):
        command = bench.commands[line["pattern"]]
        options = {word: option for option in command.params for word in option.opts}
        for word, value in re.findall(r"(--[\w-]+)(?: ([^\s\]]+))?", line["options"]):
            if (line["pattern"], word) not in MADE:
                assert word in options, f"{line['pattern']} {word}"
                default = options[word].default
                if value and usual(value) is not None and isinstance(default, (int, str)):
                    assert usual(str(default)) == usual(value), f"{line['pattern']} {word}"
                    compared += 1
    assert compared > 25


@pytest.mark.parametrize("size", [1, 255, 256, 4096, 1 << 20, 3 << 20])
def test_tiles_have_about_4_mib(size):
    arguments = tile.prepare(
        {"element_size": size, "tiles_x": None, "tile_x": None, "tile_y": None}, 6, Path()
    )
    x, y = (
        int(arguments.arguments[arguments.arguments.index(word) + 1]) for word in ("--tile-x", "--tile-y")
    )
    assert (
        x == y and x * x * size <= 4 << 20 < (x + 1) ** 2 * size and arguments.file_bytes == 6 * x * y * size
    )


@pytest.mark.parametrize(
    "words",
    [*([name] for name, row in ROWS.items() if row.file_bytes), ["interleave", "--irregular"]],
    ids=" ".join,
)
def test_the_program_has_the_defaults_and_bytes_of_the_table(real_mpi, bench_program, tmp_path, words):
    shared_memory.needed_by_openmpi(real_mpi)
    setup = launcher.Setup(real_mpi, Build.of(real_mpi), ranks=1, timeout_s=100)
    quick = ["--file", str(tmp_path / "data"), "--operation", "write", "--no-check", "--no-sync"]
    outcome = launcher.measure(
        setup, engines.parse_engine("native", real_mpi), [str(bench_program), "--pattern", *words, *quick]
    )
    (line,) = outcome.lines
    values, unused = {}, set()
    for one in ROWS[words[0]].options:
        default = one.click().get("default")
        used = line["parameters"].get(one.name)
        if isinstance(one, Size) and used is not None:
            assert int(used) == sizes.parse_size(default), one.name
        elif default is not None and used is not None:
            assert used == str(default), one.name
        unused |= {one.name} if used is None else set()
        values[one.name.replace("-", "_")] = int(used) if used and used.isdecimal() else used
    assert unused in (set(), {"one-call"}, {"irregular", "min-size", "max-size"}, {"size"})
    most = ROWS[words[0]].file_bytes(1, **values)
    assert line["file_bytes"] == most or ("--irregular" in words and most / 2 < line["file_bytes"] < most)


def test_every_list_of_patterns_has_them_all(bench_program):
    listed = subprocess.run(
        [str(bench_program), "--list"], stdout=subprocess.PIPE, check=True, timeout=60
    ).stdout.decode()
    assert {json.loads(line)["pattern"] for line in listed.splitlines()} == set(PATTERNS)
    assert re.findall(r"^\| `([a-z0-9]+)` \|", README.read_text(), re.MULTILINE).count("ior") == 1
    assert set(PATTERNS) <= set(re.findall(r"^\| `([a-z0-9]+)` \|", README.read_text(), re.MULTILINE))
