"""What ranks get through each launcher: real ones where they are made up in fake_site, stand-ins for the
rest."""

import pytest

import stand_in_launchers
from collio.run import launch, launch_line

PNETCDF = "nc_driver=mpiio"


@pytest.fixture
def ranks(site, collio_process):
    """Runs a launch command under `collio run`; the environment of each of its parts' programs, and what was
    said."""
    program = site.program(
        "show", 'echo "rank preload=$LD_PRELOAD hints=$COLLIO_HINTS pnetcdf=$PNETCDF_HINTS mine=$MINE"\n'
    )

    def start(launcher, *words):
        done = collio_process(
            "run",
            "--mpi",
            "mpich",
            "--set",
            "cb_nodes=2",
            "-v",
            "--",
            launcher,
            *(program if word == "APP" else word for word in words),
        )
        assert done.returncode == 0, done.stderr
        seen = [
            dict(pair.split("=", 1) for pair in line.split()[1:])
            for line in done.stdout.splitlines()
            if line.startswith("rank ")
        ]
        return seen, done.stderr

    return start


@pytest.fixture
def expected(site):
    return {"preload": str(site.interposer["mpich"]), "hints": "cb_nodes=2", "pnetcdf": PNETCDF, "mine": ""}


COMMANDS = [
    ("flux", "run -n 2 APP", 1),
    ("flux", "submit -n 2 APP", 1),
    ("flux", "run --env=-* -n 2 APP", 1),
    ("flux", "run --env -* -n 2 APP", 1),
    ("flux", "run --env-remove=LD_* -n 2 APP", 1),
    ("jsrun", "-n 2 -r 1 APP", 1),
    ("jsrun", "-n 1 APP : -n 1 APP", 2),
    ("aprun", "-n 2 -d 1 APP", 1),
    ("aprun", "-n 1 APP : -n 1 APP", 2),
    ("pals/mpiexec", "-n 2 --ppn 2 --cpu-bind list:0:1 APP", 1),
    ("pals/mpiexec", "--envnone --np=2 APP", 1),
    ("pals/mpiexec", "-n 1 APP : --envnone -n 1 APP", 2),
    ("prterun", "-n 1 APP : -n 1 APP", 2),
    ("mpiexec.hydra", "-n 2 APP", 1),
    ("mpiexec.hydra", "-genvnone -n 2 APP", 1),
]


@pytest.mark.parametrize("launcher, words, parts", COMMANDS, ids=lambda value: str(value))
def test_every_part_gets_the_environment(ranks, expected, tmp_path, launcher, words, parts):
    got, _ = ranks(stand_in_launchers.make(tmp_path / "site-bin", launcher), *words.split())
    assert got == [expected] * parts


@pytest.mark.parametrize(
    "launcher, words",
    [
        ("flux", "run --env=LD_PRELOAD={} --env=MINE=1 APP"),
        ("jsrun", "-E LD_PRELOAD={} --env MINE=1 -n 1 APP"),
        ("aprun", "-e LD_PRELOAD={} -e MINE=1 APP"),
        ("pals/mpiexec", "--env LD_PRELOAD={} --env=MINE=1 -n 1 APP"),
        ("mpiexec.hydra", "-genv LD_PRELOAD {} -genvnone -genv MINE 1 APP"),
    ],
)
def test_a_preload_in_the_command_stays(ranks, expected, tmp_path, empty_library, launcher, words):
    got, _ = ranks(
        stand_in_launchers.make(tmp_path / "site-bin", launcher), *words.format(empty_library).split()
    )
    assert got == [expected | {"preload": f"{empty_library}:{expected['preload']}", "mine": "1"}]


@pytest.mark.parametrize(
    "launcher, words, option",
    [("jsrun", "-n 1 APP", "-E"), ("aprun", "-n 1 APP", "-e"), ("pals/mpiexec", "-n 1 APP", "--env")],
)
def test_the_ranks_alone_are_preloaded(ranks, expected, tmp_path, launcher, words, option):
    path = stand_in_launchers.make(tmp_path / "site-bin", launcher)
    ranks(path, *words.split())
    record = stand_in_launchers.record(path)
    assert "LD_PRELOAD" not in record["environ"]
    assert record["words"][:2] == [option, f"LD_PRELOAD={expected['preload']}"]


def test_flux_copies_by_name(ranks, tmp_path):
    """`--env=NAME=VALUE` would expand a `$` in the value."""
    path = stand_in_launchers.make(tmp_path / "site-bin", "flux")
    ranks(path, "run", "--env=-*", "-n", "1", "APP")
    words = stand_in_launchers.record(path)["words"]
    assert (
        words[:3] == ["run", "--env=-*", "--env=LD_PRELOAD"]
        and "--env=COLLIO_HINTS" in words[3:]
        and words[-3:-1] == ["-n", "1"]
    )


@pytest.mark.parametrize(
    "words", ["--export=NONE -n 1 APP", "--export NONE -n 1 APP", "--export=MINE -n 1 APP"]
)
def test_srun_exports_are_widened_in_both_spellings(site, ranks, expected, words):
    got, _ = ranks(site.srun, *words.split())
    assert got == [expected]


@pytest.mark.parametrize(
    "export",
    [
        "--export=LD_PRELOAD={},MINE=1",
        "--export=ALL,LD_PRELOAD={},MINE=1",
        "--export=MINE=1,LD_PRELOAD={},PNETCDF_HINTS=a=1",
    ],
)
def test_what_sruns_export_sets_stays(site, ranks, expected, empty_library, export):
    got, _ = ranks(site.srun, export.format(empty_library), "-n", "1", "APP")
    pnetcdf = f"a=1;{PNETCDF}" if "a=1" in export else PNETCDF
    assert got == [
        expected | {"preload": f"{empty_library}:{expected['preload']}", "mine": "1", "pnetcdf": pnetcdf}
    ]


@pytest.mark.parametrize("own", ["LD_PRELOAD={};A=1", "A=1;LD_PRELOAD={}"])
def test_what_open_mpis_list_sets_stays(site, cli, monkeypatch, empty_library, own):
    joined = own.format(f"{empty_library}:{site.interposer['openmpi']}")
    own = own.format(empty_library)
    in_words = cli(
        "run",
        "--dry-run",
        "--",
        site.mpiexec["openmpi"],
        "--mca",
        "mca_base_env_list",
        own,
        site.show_environment,
    )
    assert joined in in_words.output and in_words.output.count("LD_PRELOAD=") == 1
    monkeypatch.setenv("OMPI_MCA_mca_base_env_list", own)
    assert joined in cli("run", "--dry-run", "--", site.mpiexec["openmpi"], site.show_environment).output


def test_srun_leaves_the_programs_own_options_alone(site, collio_process):
    program = site.program("arguments", 'echo "$@"\n')
    done = collio_process("run", "--mpi", "mpich", "--", site.srun, "-n", "1", program, "--export=NONE")
    assert done.stdout == "--export=NONE\n"


def test_a_report_needs_a_launcher_that_waits(site, collio_process, tmp_path):
    flux = stand_in_launchers.make(tmp_path / "site-bin", "flux")
    refused = collio_process(
        "run",
        "--mpi",
        "mpich",
        "--report",
        tmp_path / "r.json",
        "--",
        flux,
        "submit",
        "-n",
        "1",
        site.show_environment,
    )
    assert refused.returncode == 125 and "flux run" in refused.stderr
    done = collio_process(
        "run",
        "--mpi",
        "mpich",
        "--report",
        tmp_path / "r.json",
        "--",
        flux,
        "submit",
        "--wait",
        "-n",
        "1",
        site.show_environment,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "given, passed, said",
    [
        (None, PNETCDF, f"PNETCDF_HINTS gets {PNETCDF}"),
        ("nc_header_align_size=512", f"nc_header_align_size=512;{PNETCDF}", f"gets {PNETCDF}"),
        ("nc_var_align_size=1; ", f"nc_var_align_size=1;{PNETCDF}", f"gets {PNETCDF}"),
        ("nc_driver=gio;a=1", "nc_driver=gio;a=1", "nc_driver=gio, which stays"),
        ("a=1; nc_driver = mpiio", "a=1; nc_driver = mpiio", "already"),
    ],
)
@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_pnetcdf_is_asked_to_call_mpi_io(site, collio_process, monkeypatch, family, given, passed, said):
    if given is not None:
        monkeypatch.setenv("PNETCDF_HINTS", given)
    program = site.program("show", 'echo "$PNETCDF_HINTS"\n')
    done = collio_process("run", "-v", "--", site.mpiexec[family], "-n", "1", program)
    assert done.stdout == f"{passed}\n" and said in done.stderr


def test_pnetcdfs_driver_in_the_command_is_respected(site, collio_process):
    program = site.program("show", 'echo "$PNETCDF_HINTS"\n')
    for words, passed in (
        (["-x", "PNETCDF_HINTS=nc_driver=gio"], "nc_driver=gio"),
        (["-x", "PNETCDF_HINTS=a=1"], f"a=1;{PNETCDF}"),
    ):
        done = collio_process("run", "--", site.mpiexec["openmpi"], *words, "-n", "1", program)
        assert done.stdout == f"{passed}\n" and done.stderr == ""


def test_pnetcdf_is_left_alone_where_collio_is_off(site, collio_process, monkeypatch):
    monkeypatch.setenv("COLLIO_ENABLE", "0")
    done = collio_process(
        "run", "--", site.mpiexec["mpich"], "-n", "1", site.program("show", 'echo "<$PNETCDF_HINTS>"\n')
    )
    assert done.stdout == "<>\n"


@pytest.mark.parametrize("kind", ["hydra", "openmpi", "slurm", "none"])
def test_variables_for_the_launcher_reach_it(kind):
    line = launch_line.read_launch_line(["mpiexec", "-n", "1", "app"])
    job = launch.prepare(
        line, kind, "a.so", {"FI_PROVIDER": "tcp", "COLLIO_HINTS": "cb_nodes=2"}, {"FI_PROVIDER": "verbs"}
    )
    assert (job.environ["FI_PROVIDER"], job.environ["COLLIO_HINTS"]) == ("tcp", "cb_nodes=2")
