"""`collio run` with the MPI libraries of this machine: a compiled program, a script around it, the wrong
launcher."""

import json

import pytest
import shared_memory

from collio import mpi_libraries

RANKS = 3


def expected_bytes():
    return b"".join(bytes([ord("a") + rank]) * 100 for rank in range(RANKS)) * 200


@pytest.fixture
def program(real_mpi, compiled):
    return compiled(real_mpi, "interleaved")


def test_an_unmodified_program(real_mpi, program, collio_process, tmp_path):
    data, report = tmp_path / "data", tmp_path / "report.json"
    done = collio_process(
        "run",
        "--set",
        "cb_buffer_size=4k",
        "--report",
        report,
        "--",
        real_mpi.mpiexec,
        "-n",
        RANKS,
        program,
        data,
    )
    assert done.returncode == 0, done.stderr
    assert data.read_bytes() == expected_bytes()
    document = json.loads(report.read_text())
    assert document["mpi"] == real_mpi.id and document["exit_code"] == 0
    (file,) = document["files"]
    assert (
        file["comm_size"] == RANKS
        and file["file"].endswith("data")
        and file["hints"]["cb_buffer_size"] == "4096"
    )
    assert [call["operation"] for call in file["calls"]] == ["write_all", "read_at_all"]
    for call in file["calls"]:
        assert (
            call["bytes"] == RANKS * 20_000
            and call["reason"]
            and call["path"] in ("two_layer", "two_phase", "independent")
        )
        assert (
            call["seconds"]["total"]["min"]
            <= call["seconds"]["total"]["median"]
            <= call["seconds"]["total"]["max"]
        )
    assert "write_all" in done.stderr


@pytest.mark.parametrize(
    "wrapper", [["env", "A=1"], ["sh", "-c", 'exec "$@"', "sh"], ["nice"]], ids=lambda words: words[0]
)
def test_wrappers_do_not_get_in_the_way(real_mpi, program, collio_process, tmp_path, wrapper):
    report = tmp_path / "report.json"
    done = collio_process(
        "run", "--report", report, "--", real_mpi.mpiexec, "-n", RANKS, *wrapper, program, tmp_path / "data"
    )
    assert done.returncode == 0, done.stderr
    assert (
        len(json.loads(report.read_text())["files"]) == 1
        and (tmp_path / "data").read_bytes() == expected_bytes()
    )


def test_the_exit_code(real_mpi, program, collio_process, tmp_path):
    assert (
        collio_process("run", "--", real_mpi.mpiexec, "-n", RANKS, program, tmp_path / "data", "5").returncode
        == 5
    )


def test_verbose_speaks_up(real_mpi, program, collio_process, tmp_path):
    done = collio_process("run", "-v", "--", real_mpi.mpiexec, "-n", RANKS, program, tmp_path / "data")
    assert real_mpi.id in done.stderr and str(tmp_path / "data") in done.stderr


def test_turned_off(real_mpi, program, collio_process, tmp_path, monkeypatch):
    monkeypatch.setenv("COLLIO_ENABLE", "0")
    done = collio_process(
        "run",
        "--report",
        tmp_path / "r.json",
        "--",
        real_mpi.mpiexec,
        "-n",
        RANKS,
        program,
        tmp_path / "data",
    )
    assert done.returncode == 0 and "COLLIO_ENABLE=0" in done.stderr
    assert (tmp_path / "data").read_bytes() == expected_bytes()


def test_bad_settings_of_other_layers_are_named_once(
    real_mpi, program, collio_process, tmp_path, monkeypatch
):
    hints = tmp_path / "romio-hints"
    hints.write_text("# of the site\ncb_nodes lots\ncb_buffer_size\nromio_ds_write disable\n")
    monkeypatch.setenv("ROMIO_HINTS", str(hints))
    monkeypatch.setenv("MPICH_MPIIO_HINTS", "*:striping_unit=4096,*.nc")
    done = collio_process("run", "-v", "--", real_mpi.mpiexec, "-n", RANKS, program, tmp_path / "data")
    assert done.returncode == 0 and (tmp_path / "data").read_bytes() == expected_bytes()
    for said in (
        f"ROMIO_HINTS={hints}:2: cb_nodes 'lots' is not allowed (allowed: 1..1000000, auto)",
        f"ROMIO_HINTS={hints}:3: 'cb_buffer_size' is not 'key value'",
        "MPICH_MPIIO_HINTS: '*.nc' is not PATTERN:key=value:key=value",
    ):
        assert done.stderr.count(said) == 1, done.stderr
    assert "romio_ds_write=disable (ROMIO_HINTS), striping_unit=4096 (MPICH_MPIIO_HINTS)" in done.stderr


def test_a_hints_file_that_is_not_there_is_named(real_mpi, program, collio_process, tmp_path, monkeypatch):
    monkeypatch.setenv("ROMIO_HINTS", str(tmp_path / "missing"))
    done = collio_process("run", "--", real_mpi.mpiexec, "-n", RANKS, program, tmp_path / "data")
    assert (
        done.returncode == 0
        and done.stderr.count(
            f"ROMIO_HINTS={tmp_path / 'missing'}: cannot be read (No such file or directory)"
        )
        == 1
    )


def test_without_a_launcher(real_mpi, program, collio_process, tmp_path):
    done = collio_process("run", "--report", tmp_path / "r.json", "--", program, tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert len(json.loads((tmp_path / "r.json").read_text())["files"]) == 1


def test_another_mpis_launcher_is_refused(real_mpi, program, collio_process, tmp_path):
    others = [
        mpi for mpi in mpi_libraries.find_mpi_libraries() if mpi.family != real_mpi.family and mpi.mpiexec
    ]
    if not others:
        pytest.skip("only one kind of MPI here")
    done = collio_process("run", "--", others[0].mpiexec, "-n", RANKS, program, tmp_path / "data")
    assert done.returncode == 125 and real_mpi.mpiexec in done.stderr


@shared_memory.needed
def test_the_demo_on_a_small_grid(real_mpi, collio_process, tmp_path):
    done = collio_process(
        "demo", "--ne", 2, "--levels", 4, "--ranks", 3, "--repeat", 2, "--mpi", real_mpi.id, "--dir", tmp_path
    )
    assert done.returncode == 0, done.stderr
    for part in ("native", "collio", "floor", "files identical", "sha256", "two_layer"):
        assert part in done.stdout
    assert list(tmp_path.iterdir()) == []
