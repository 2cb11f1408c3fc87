"""The engine `native-tuned`: which settings are tried, and what the document and the table say of them."""

import json

import pytest
import shared_memory
from rich.console import Console

from collio.bench import engines, launcher, results, rounds, tuning
from collio.bench.tuning import Setting
from collio.builds import Build
from collio.run import launch
from test_tuning_search import found_by

MIB = 1 << 20


def labels(settings):
    return [setting.label for setting in settings]


@pytest.mark.parametrize(
    "ranks, counts", [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (8, [1, 2, 4, 8]), (16, [1, 2, 8, 16])]
)
def test_numbers_of_aggregators(ranks, counts):
    assert tuning.aggregator_counts(ranks) == counts


def test_stages_of_romio():
    aggregators, buffers, sieving = tuning.romio("native", 8, 1, {})
    first = labels(aggregators([]))
    assert first == ["native", *(f"native:cb_nodes={n}:cb_config_list=*:{n}" for n in (1, 2, 4, 8))]
    best = [Setting("native").having(cb_nodes=4), Setting("native")]
    assert labels(buffers(best)) == [f"native:cb_nodes=4:cb_buffer_size={n * MIB}" for n in (1, 4)]
    assert labels(sieving(best)) == [
        f"native:{rest}romio_ds_write={word}:romio_ds_read={word}"
        for rest in ("cb_nodes=4:", "romio_cb_write=disable:romio_cb_read=disable:")
        for word in ("enable", "disable")
    ]


def test_aggregators_are_spread_over_the_nodes():
    """ROMIO takes ranks in order, as many of each node as cb_config_list allows."""
    aggregators, *_ = tuning.romio("native", 32, 8, {})
    assert [dict(setting.values).get("cb_config_list") for setting in aggregators([])] == [
        None,
        "*:1",
        "*:1",
        "*:2",
        "*:4",
    ]


def test_stages_of_ompio():
    components, aggregators, sizes = tuning.ompio(["ompi-vulcan", "ompi-individual", "ompi-two_phase"], 4, {})
    vulcan, individual, two_phase = bases = components([])
    assert labels(bases) == ["ompi-vulcan", "ompi-individual", "ompi-two_phase"]
    assert labels(aggregators([two_phase, vulcan, individual])) == [
        f"{name}:num_aggregators={n}" for name in ("ompi-two_phase", "ompi-vulcan") for n in (1, 2, 4)
    ]
    assert labels(aggregators([individual, vulcan, two_phase])) == [
        f"ompi-vulcan:num_aggregators={n}" for n in (1, 2, 4)
    ]
    assert (
        labels(sizes([vulcan])) == [f"ompi-vulcan:bytes_per_agg={n * MIB}" for n in (1, 4, 16)]
        and sizes([individual]) == []
    )


def test_stages_of_gio():
    aggregators, buffers, behind = tuning.gio(4, {})
    first = aggregators([])
    assert labels(first) == ["pnetcdf-gio", *(f"pnetcdf-gio:cb_nodes={n}" for n in (1, 2, 4))]
    assert labels(buffers(first)) == [f"pnetcdf-gio:cb_buffer_size={n * MIB}" for n in (1, 4)]
    assert labels(behind(first)) == [
        *(f"pnetcdf-gio:romio_ds_write={word}:romio_ds_read={word}" for word in ("enable", "disable")),
        *(f"pnetcdf-gio:nc_num_aggrs_per_node={n}" for n in (1, 2)),
    ]


@pytest.mark.parametrize(
    "name, mode, layers",
    [
        ("native-tuned", "mpiio", ["ompi-romio", "ompi-vulcan"]),
        ("pnetcdf-tuned", "pnetcdf", ["pnetcdf-ompi-romio", "pnetcdf-ompi-vulcan"]),
        ("pnetcdf-gio-tuned", "pnetcdf", ["pnetcdf-gio"]),
    ],
)
def test_every_setting_is_an_engine(site, monkeypatch, name, mode, layers):
    mpi = launch.named_mpi("openmpi-9.9.2")
    monkeypatch.setattr(engines, "fcoll_components", lambda _: ["vulcan"])
    engine = engines.parse_engine(name, mpi)
    tried = []
    found_by(tuning.families(launcher.Setup(mpi, Build.of(mpi), 8, 30), engine), {}, tried)
    assert (
        engine.tunes
        and engine.mode == mode
        and list(dict.fromkeys(label.split(":")[0] for label in tried)) == layers
    )
    parsed = [engines.parse_engine(label, mpi) for label in tried]
    assert all(setting.label == label and setting.mode == mode for setting, label in zip(parsed, tried))
    assert all((setting.arguments != ()) == (mode == "pnetcdf") for setting in parsed)


def test_settings_of_ompio_are_parameters(site):
    mpi = launch.named_mpi("openmpi-9.9.2")
    engine = engines.parse_engine("ompi-vulcan:num_aggregators=2:bytes_per_agg=4MiB", mpi)
    assert engine.hints == {} and {
        name: value for name, value in engine.environ.items() if name.startswith("OMPI_MCA_io_ompio_")
    } == {"OMPI_MCA_io_ompio_num_aggregators": "2", "OMPI_MCA_io_ompio_bytes_per_agg": str(4 * MIB)}


@pytest.mark.parametrize(
    "label, said",
    [
        ("ompi-vulcan:num_aggregators=0", "num_aggregators=0: not allowed; allowed is 1..2147483647"),
        ("ompi-vulcan:bytes_per_agg=4GiB", "bytes_per_agg=4GiB"),
        ("ompi-romio:num_aggregators=2", "num_aggregators=2: no such hint"),
        ("native-tuned:num_aggregators=2", "num_aggregators=2: no such hint"),
    ],
)
def test_bad_values_are_named(site, label, said):
    with pytest.raises(engines.BenchError, match=said):
        engines.parse_engine(label, launch.named_mpi("openmpi-9.9.2"))


def test_components_that_are_there(site, tmp_path):
    mpi = launch.named_mpi("openmpi-9.9.2")
    assert engines.fcoll_components(mpi) == list(engines.OMPI_COLLECTIVES)  # built into the library
    folder = site.root / "openmpi" / "lib" / "openmpi"
    folder.mkdir()
    for name in ("vulcan", "individual", "base"):
        (folder / f"mca_fcoll_{name}.so").touch()
    assert engines.fcoll_components(mpi) == ["individual", "vulcan"]


def test_the_users_own_hints_stay():
    own = {"cb_nodes": "3", "romio_no_indep_rw": "true"}
    tried = []
    found_by([tuning.romio("native", 8, 1, own)], {}, tried)
    assert tried and all("cb_nodes=3:romio_no_indep_rw=true" in label for label in tried)


def fast_with(site, case):
    """Makes the stand-in program take what the cases of its arguments say."""
    program = Build.of(launch.named_mpi("mpich-9.9.1")).program("collio_bench")
    program.write_text(
        program.read_text().replace("while [ $# -gt 0 ]", f'case "$*" in {case} esac\nwhile [ $# -gt 0 ]', 1)
    )


def test_the_document_has_the_search(site, cli, tmp_path):
    fast_with(
        site,
        "*cb_nodes=4*cb_buffer_size=1048576*) seconds=1.0 ;; *cb_nodes=4*) seconds=2.0 ;; *cb_nodes=2*) exit "
        "139 ;;",
    )
    done = cli(
        "bench",
        "interleave",
        "--mpi",
        "mpich-9.9.1",
        "--ranks",
        4,
        "--dir",
        tmp_path,
        "--repeat",
        2,
        "--json",
        "--engines",
        "native,native-tuned",
    )
    document = json.loads(done.stdout)
    assert done.exit_code == 0 and document["verified"]
    wanted = f"native:cb_nodes=4:cb_config_list=*:4:cb_buffer_size={MIB}"
    assert [
        (row["engine"], row["operation"], row["median_s"], row.get("settings")) for row in document["results"]
    ] == [
        ("native", "write", 3.0, None),
        ("native", "read", 3.0, None),
        ("native-tuned", "write", 1.0, wanted),
        ("native-tuned", "read", 1.0, wanted),
    ]
    tuned = document["tuning"]["native-tuned"]
    assert tuned["chosen"] == {"write": wanted, "read": wanted}
    left_out = [trial for trial in tuned["tried"] if "error" in trial]
    assert [trial["settings"] for trial in left_out] == [
        "native:cb_nodes=2:cb_config_list=*:2"
    ] and "exit code 139" in left_out[0]["error"]


def test_settings_and_left_out_ones_are_printed(site, cli, tmp_path):
    fast_with(site, "*cb_nodes=4*) seconds=1.0 ;; *cb_nodes=2*) exit 139 ;;")
    text = cli(
        "bench",
        "interleave",
        "--mpi",
        "mpich-9.9.1",
        "--ranks",
        4,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--engines",
        "native-tuned",
    ).output
    assert "native-tuned, write: native:cb_nodes=4:cb_config_list=*:4" in text and "1 left out" in text
    assert "native:cb_nodes=2:cb_config_list=*:2: exit code 139" in text


def test_without_any_setting_the_engine_fails_and_the_rest_is_measured(site, cli, tmp_path):
    fast_with(site, '*"--mode floor"*) ;; *) exit 139 ;;')
    done = cli(
        "bench",
        "interleave",
        "--mpi",
        "mpich-9.9.1",
        "--ranks",
        2,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--json",
        "--engines",
        "native-tuned,floor",
    )
    document = json.loads(done.stdout)
    assert done.exit_code == 1 and [(row["engine"], row.get("error")) for row in document["results"]] == [
        ("native-tuned", "none of the settings tried worked"),
        ("floor", None),
        ("floor", None),
    ]


def test_each_operation_is_measured_with_its_own_settings(site, monkeypatch):
    mpi = launch.named_mpi("mpich-9.9.1")
    setup = launcher.Setup(mpi, Build.of(mpi), 4, 30)
    ran = []

    def measure(setup, engine, arguments):
        ran.append(engine.label)
        seconds = 1.0 if engine.label == "native" else 2.0
        wrong = engine.label == "native:cb_nodes=2"
        operations = [
            {
                "operation": name,
                "seconds": seconds,
                "bytes": 8,
                "verified": not (wrong and name == "write"),
                "wrong_bytes": 0,
                "wrong_hole_bytes": int(wrong),
            }
            for name in ("write", "read")
        ]
        return launcher.Outcome(
            [{"verified": not wrong, "errors": ["a hole"] if wrong else [], "operations": operations}],
            "exit code 1" if wrong else None,
        )

    monkeypatch.setattr(rounds.launcher, "measure", measure)
    parts = {
        "write": engines.parse_engine("native:cb_nodes=2", mpi),
        "read": engines.parse_engine("native", mpi),
    }
    engine = engines.Engine("native-tuned", tunes=True, by_operation=parts)
    (samples,) = rounds.run_rounds(setup, [engine], lambda engine: [], 2, lambda *_: None)
    assert ran == ["native:cb_nodes=2", "native"] * 2 and not samples.errors
    rows = {row["operation"]: row for row in results.result_rows([samples])}
    assert (rows["write"]["samples_s"], rows["read"]["samples_s"]) == ([2.0, 2.0], [1.0, 1.0])
    assert rows["write"]["wrong_hole_bytes"] == 1 and "wrong_hole_bytes" not in rows["read"]
    assert (rows["write"]["settings"], rows["read"]["settings"]) == ("native:cb_nodes=2", "native")


def test_the_table_says_which_settings(capsys):
    row = {
        "engine": "native-tuned",
        "operation": "write",
        "verified": True,
        "median_s": 1.0,
        "min_s": 1.0,
        "max_s": 1.0,
        "bytes_per_s": 8,
        "peak_rss_above_buffer_bytes": 0,
        "settings": "ompi-vulcan:num_aggregators=2",
    }
    tried = [
        {"settings": "ompi-vulcan:num_aggregators=2", "seconds": {"write": 1.0}},
        {"settings": "ompi-dynamic", "error": "not done after 10 s\nmore"},
    ]
    document = {
        "pattern": "x",
        "mpi": "x",
        "ranks": 1,
        "bytes": 8,
        "repeat": 1,
        "machine": {"file_system": "x", "cores": 1},
        "results": [row],
        "tuning": {"native-tuned": {"chosen": {"write": row["settings"]}, "tried": tried}},
    }
    results.print_table(Console(width=80), document)
    text = capsys.readouterr().out
    assert (
        "native-tuned, write: ompi-vulcan:num_aggregators=2\n" in text
        and "2 settings tried, 1 left out" in text
    )
    assert "ompi-dynamic: not done after 10 s\n" in text and "more" not in text


def test_a_search_for_real(real_mpi, cli, tmp_path):
    shared_memory.needed_by_openmpi(real_mpi)
    if not Build.of(real_mpi).program("collio_bench").exists():
        pytest.skip("collio_bench is not built")
    done = cli(
        "bench",
        "interleave",
        "--pieces",
        50,
        "--mpi",
        real_mpi.id,
        "--ranks",
        2,
        "--dir",
        tmp_path,
        "--repeat",
        1,
        "--json",
        "--timeout",
        100,
        "--engines",
        "collio,native-tuned",
    )
    document = json.loads(done.stdout)
    assert done.exit_code == 0 and document["verified"], document["results"]
    tuned = document["tuning"]["native-tuned"]
    assert all(
        row["settings"] == tuned["chosen"][row["operation"]]
        for row in document["results"]
        if row["engine"] == "native-tuned"
    )
    assert len([trial for trial in tuned["tried"] if "seconds" in trial]) >= 5
