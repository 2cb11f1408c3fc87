"""`collio run` with made-up launchers: which build, what the ranks get, exit codes, signals, reports."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import whole_reports
from collio.run import report_name


def ranks_environment(output):
    return dict(line.split("=", 1) for line in output.splitlines() if "=" in line)


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_ranks_get_preload_and_hints(site, collio_process, family):
    done = collio_process(
        "run",
        "--set",
        "cb_buffer_size=1MiB",
        "--set",
        "cb_nodes=2",
        "-v",
        "--",
        site.mpiexec[family],
        "-n",
        "2",
        site.show_environment,
    )
    assert done.returncode == 0, done.stderr
    got = ranks_environment(done.stdout)
    assert got == {
        "preload": str(site.interposer[family]),
        "hints": "cb_buffer_size=1048576;cb_nodes=2",
        "verbose": "1",
    }
    assert site.ids[family] in done.stderr


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_a_preload_that_is_there_stays(site, collio_process, family, empty_library, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", str(empty_library))
    done = collio_process("run", "--", site.mpiexec[family], "-n", "2", site.show_environment)
    assert ranks_environment(done.stdout)["preload"] == f"{empty_library}:{site.interposer[family]}"


def test_a_preload_in_the_command_stays(site, collio_process, empty_library):
    done = collio_process(
        "run",
        "--",
        site.mpiexec["mpich"],
        "-n",
        "1",
        "env",
        f"LD_PRELOAD={empty_library}",
        site.show_environment,
    )
    assert ranks_environment(done.stdout)["preload"] == f"{empty_library}:{site.interposer['mpich']}"
    done = collio_process(
        "run", "--", site.mpiexec["openmpi"], "-x", f"LD_PRELOAD={empty_library}", site.show_environment
    )
    assert ranks_environment(done.stdout)["preload"] == f"{empty_library}:{site.interposer['openmpi']}"


def test_every_part_of_a_command_gets_it(site, collio_process):
    done = collio_process(
        "run",
        "--",
        site.mpiexec["openmpi"],
        "-n",
        "1",
        site.show_environment,
        ":",
        "-n",
        "1",
        site.show_environment,
    )
    assert done.stdout.count(f"preload={site.interposer['openmpi']}") == 2


def test_open_mpis_list_of_variables_is_extended(site, cli, monkeypatch):
    monkeypatch.setenv("OMPI_MCA_mca_base_env_list", "A=1")
    done = cli(
        "run", "--dry-run", "--set", "cb_nodes=1", "--", site.mpiexec["openmpi"], site.show_environment
    )
    assert f"A=1;LD_PRELOAD={site.interposer['openmpi']}" in done.output and "-x" not in done.output


def test_hydra_told_to_pass_nothing_passes_ours(site, collio_process):
    done = collio_process(
        "run",
        "--set",
        "cb_nodes=2",
        "--",
        site.mpiexec["mpich"],
        "-genvnone",
        "-n",
        "1",
        site.show_environment,
    )
    got = ranks_environment(done.stdout)
    assert got["preload"] == str(site.interposer["mpich"]) and got["hints"] == "cb_nodes=2"


def test_srun_needs_the_mpi_named_and_a_wide_export(site, collio_process):
    unknown = collio_process("run", "--", site.srun, "-n", "1", site.show_environment)
    assert unknown.returncode == 125 and "--mpi" in unknown.stderr and site.ids["mpich"] in unknown.stderr
    done = collio_process(
        "run",
        "--mpi",
        "openmpi-9.9.2",
        "--set",
        "cb_nodes=2",
        "--",
        site.srun,
        "--export=NONE",
        "-n",
        "1",
        site.show_environment,
    )
    assert ranks_environment(done.stdout) == {
        "preload": str(site.interposer["openmpi"]),
        "hints": "cb_nodes=2",
        "verbose": "",
    }


@pytest.mark.parametrize("report", [False, True])
@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_exit_code_is_the_programs(site, collio_process, family, report, tmp_path):
    program = site.program("fails", "exit 7\n")
    options = ["--report", tmp_path / "r.json"] if report else []
    assert collio_process("run", *options, "--", site.mpiexec[family], "-n", "1", program).returncode == 7


@pytest.mark.parametrize(
    "words, said",
    [
        (["{mpich}", "-n", "1", "x", "--"], None),
        (["no-such-launcher/mpiexec", "-n", "1", "true"], "launcher not found"),
        (["{program}"], "no launcher"),
        (["no-such-program"], "program not found"),
    ],
)
def test_it_says_why_it_cannot(site, collio_process, words, said):
    names = {"mpich": site.mpiexec["mpich"], "program": site.show_environment}
    done = collio_process("run", "--", *(word.format(**names) for word in words))
    if said:
        assert done.returncode == 125 and said in done.stderr
    else:
        assert done.returncode not in (0, 125)  # hydra's own complaint about a program that does not exist
        assert "no word after the launcher is a program on this machine" in done.stderr  # others may have it


def test_no_build(site, collio_process):
    shutil.rmtree(site.interposer["mpich"].parent)
    done = collio_process("run", "--", site.mpiexec["mpich"], "-n", "1", "true")
    assert done.returncode == 125
    assert (
        "no build of collio for mpich-9.9.1" in done.stderr
        and "openmpi-9.9.2" in done.stderr
        and "make build" in done.stderr
    )


@pytest.mark.parametrize(
    "assignment, said",
    [
        ("cb_nodes=0", "cb_nodes=0: not allowed; allowed is 1..1000000, auto"),
        ("cb_nodes", "key=value"),
        ("fast=yes", "no such hint"),
    ],
)
def test_bad_hints_stop_the_job(site, collio_process, assignment, said):
    done = collio_process("run", "--set", assignment, "--", site.mpiexec["mpich"], "-n", "1", "true")
    assert done.returncode == 125 and said in done.stderr


@pytest.mark.parametrize("value", ["off", "no", "2"])
def test_a_switch_that_is_no_switch_stops_the_job(site, collio_process, value, monkeypatch):
    monkeypatch.setenv("COLLIO_ENABLE", value)
    done = collio_process("run", "--", site.mpiexec["mpich"], "-n", "1", "true")
    assert done.returncode == 125 and f"COLLIO_ENABLE={value}: allowed are 0" in done.stderr


@pytest.fixture
def linked_with_openmpi(tmp_path):
    """A program; with options of the linker, a library."""

    def link(name, *options):
        library, source, program = tmp_path / "libmpi.so.40", tmp_path / "main.c", tmp_path / name
        source.write_text(
            "int of_mpi(void);\n#ifdef LIBRARY\nint of_mpi(void) { return 0; }\n"
            "#else\nint main(void) { return of_mpi(); }\n#endif\n"
        )
        shared = ["cc", "-DLIBRARY", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40"]
        subprocess.run([*shared, "-o", library, source], check=True)
        program.parent.mkdir(exist_ok=True)
        words = ["cc", *options, "-o", program, source, library, f"-Wl,-rpath,{tmp_path}"]
        subprocess.run(words, check=True)
        return program

    return link


def assert_told_apart(done, path):
    assert done.returncode == 125
    assert "different MPI libraries" in done.stderr and "libmpi.so.40" in done.stderr
    assert str(path) in done.stderr


def test_launcher_and_program_of_different_mpis(site, collio_process, linked_with_openmpi):
    program = linked_with_openmpi("linked")
    assert_told_apart(collio_process("run", "--", site.mpiexec["mpich"], "-n", "1", program), program)


def test_launcher_and_mpi4py_of_different_mpis(site, collio_process, linked_with_openmpi, tmp_path):
    """An interpreter that says where its mpi4py is."""
    extension = linked_with_openmpi("mpi4py/MPI.cpython.so", "-shared", "-fPIC")
    python = tmp_path / "python3.11"
    python.write_text(f"#!/bin/sh\n[ $1 = -c ] && echo {extension.parent}\n")
    python.chmod(0o755)
    words = ("run", "--", site.mpiexec["mpich"], "-n", "1", python, "program.py")
    assert_told_apart(collio_process(*words), extension)
    (extension.parent / "MPI.other.so").write_bytes(extension.read_bytes())  # a wheel for several MPIs
    assert "different MPI libraries" not in collio_process(*words).stderr


def test_report_gathers_the_lines(site, collio_process, tmp_path):
    line = whole_reports.file(
        file="a.nc",
        comm_size=2,
        mpi="x",
        calls=[
            {
                "operation": "write_all",
                "path": "two_phase",
                "reason": "small pieces",
                "repeats": 2,
                "bytes": 10,
                "pieces": 3,
                "seconds": {
                    "total": {"min": 1.0, "median": 1.0, "max": 1.0},
                    "write": {"min": 0.0, "median": 0.0, "max": 0.6},
                },
            }
        ],
    )
    program = site.program(
        "writes", f"printf '%s\\n' '{json.dumps(line)}' '{{\"half' >> \"$COLLIO_REPORT\"\nexit 3\n"
    )
    report = tmp_path / "out" / "report.json"
    report.parent.mkdir()
    done = collio_process(
        "run", "--report", report, "--set", "cb_nodes=2", "--", site.mpiexec["openmpi"], "-n", "2", program
    )
    document = json.loads(report.read_text())
    assert done.returncode == 3 and document["exit_code"] == 3
    assert (
        document["files"] == [line]
        and document["mpi"] == "openmpi-9.9.2"
        and document["hints"] == {"cb_nodes": "2"}
    )
    assert document["command"][0] == str(site.mpiexec["openmpi"])
    assert "two_phase" in done.stderr and "small pieces" in done.stderr and "1 damaged" in done.stderr
    assert os.listdir(report.parent) == ["report.json"]


def test_an_empty_report_says_so(site, collio_process, tmp_path):
    done = collio_process(
        "run", "--report", tmp_path / "r.json", "--", site.mpiexec["mpich"], "-n", "1", "true"
    )
    assert done.returncode == 0 and "took over no file" in done.stderr
    assert json.loads((tmp_path / "r.json").read_text())["files"] == []


def test_a_report_that_cannot_be_written_stops_the_job(site, collio_process, tmp_path):
    done = collio_process(
        "run", "--report", tmp_path / "missing" / "r.json", "--", site.mpiexec["mpich"], "-n", "1", "true"
    )
    assert done.returncode == 125 and "cannot write" in done.stderr


@pytest.mark.parametrize("report", [False, True])
def test_signals_reach_the_job(site, tmp_path, report):
    program = site.program(
        "waits", f"trap 'echo got it; exit 9' USR1; touch {tmp_path}/ready; while :; do sleep 0.05; done\n"
    )
    options = ["--report", str(tmp_path / "r.json")] if report else []
    words = [
        sys.executable,
        "-m",
        "collio",
        "run",
        *options,
        "--",
        str(site.mpiexec["mpich"]),
        "-n",
        "1",
        str(program),
    ]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "ready").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGUSR1)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 9 and "got it" in output


@pytest.mark.parametrize(
    "variables, stem",
    [
        ({"SLURM_JOB_ID": "4711"}, "collio-4711"),
        ({"PBS_JOBID": "12[3].head-node"}, "collio-12-3-.head-node"),
        ({"FLUX_JOB_ID": "\u01922xR7q"}, "collio-2xR7q"),
        ({"LSB_JOBID": "88", "LSB_JOBINDEX": "0"}, "collio-88"),
        ({"LSB_JOBID": "88", "LSB_JOBINDEX": "7"}, "collio-88-7"),
    ],
)
def test_a_report_is_named_after_the_batch_job(tmp_path, variables, stem):
    assert report_name.claim(tmp_path / "auto", variables) == tmp_path / f"{stem}.json"
    assert report_name.claim(tmp_path / "r.json", variables) == tmp_path / "r.json"


def test_runs_of_one_batch_job_keep_their_reports(site, collio_process, tmp_path):
    words = ["run", "--report", "auto", "--", site.mpiexec["mpich"], "-n", "1", "sleep"]
    environment = {**os.environ, "SLURM_JOB_ID": "4711"}
    with ThreadPoolExecutor() as pool:  # all at once
        runs = [pool.submit(collio_process, *words, f"0.{n}", env=environment) for n in (1, 2, 3)]
    reports = {}
    for n, run in enumerate(runs, 1):
        assert run.result().returncode == 0, run.result().stderr
        (name,) = re.findall(r"report: (\S+)", run.result().stderr)
        reports[name] = json.loads((tmp_path / name).read_text())["command"][-1]
        assert reports[name] == f"0.{n}", "of another run"
    assert reports.keys() == {"collio-4711.json", "collio-4711-2.json", "collio-4711-3.json"}


def test_a_run_that_cannot_start_leaves_no_report(collio_process, tmp_path):
    done = collio_process("run", "--report", "auto", "--", "no-such-program", cwd=tmp_path)
    assert done.returncode == 125 and "no-such-program" in done.stderr
    assert not list(tmp_path.iterdir())
    done = collio_process("run", "--report", tmp_path / "no-folder/auto", "--", "true", cwd=tmp_path)
    assert done.returncode == 125 and "cannot write there (No such file or directory)" in done.stderr


def test_outside_of_batch_jobs_reports_are_named_after_time_and_process():
    name = report_name.claim(Path("auto"), {}).name
    assert re.fullmatch(rf"collio-\d{{8}}T\d{{6}}-{os.getpid()}\.json", name)
