"""How the search for the fastest settings goes: its order, and settings that fail or are slow."""

from collio.bench import launcher, tuning
from collio.bench.tuning import Setting, Trial
from collio.builds import Build
from collio.run import launch

MIB = 1 << 20


def takes(table, tried=None):
    """A run that takes what the table says of a label: seconds to write and to read, or an error; 9 s without
    an entry."""

    def run(setting):
        if tried is not None:
            tried.append(setting.label)
        found = table.get(setting.label, (9.0, 9.0))
        return (
            Trial(setting, error=found)
            if isinstance(found, str)
            else Trial(setting, dict(zip(("write", "read"), found)))
        )

    return run


def found_by(stages_of, table, tried=None, operations=("write", "read")):
    found = tuning.search(stages_of, list(operations), takes(table, tried))
    return {operation: setting.label for operation, setting in found.chosen.items()}, found


def test_each_operation_follows_its_own_fastest_settings():
    many, few = "native:cb_nodes=8:cb_config_list=*:8", "native:cb_nodes=1:cb_config_list=*:1"
    table = {
        many: (1.0, 8.0),
        few: (8.0, 1.0),
        f"{many}:cb_buffer_size={MIB}": (0.5, 8.0),
        f"{few}:cb_buffer_size={4 * MIB}": (8.0, 0.5),
    }
    chosen, _ = found_by([tuning.romio("native", 8, 1, {})], table)
    assert chosen == {"write": f"{many}:cb_buffer_size={MIB}", "read": f"{few}:cb_buffer_size={4 * MIB}"}
    chosen, _ = found_by([tuning.romio("native", 8, 1, {})], table, operations=["read"])
    assert chosen == {"read": f"{few}:cb_buffer_size={4 * MIB}"}


def test_no_setting_runs_more_than_twice_and_the_fastest_do():
    tried = []
    chosen, found = found_by([tuning.romio("native", 8, 1, {})], {"native": (1.0, 1.0)}, tried)
    counts = {label: tried.count(label) for label in tried}
    assert set(counts.values()) == {1, 2} and sum(count == 2 for count in counts.values()) == tuning.RUN_AGAIN
    assert (
        counts["native"] == 2
        and chosen == {"write": "native", "read": "native"}
        and len(found.trials) == len(counts)
    )


def test_a_setting_that_fails_is_left_out():
    table = {"ompi-vulcan": "exit code 139", "ompi-two_phase": (2.0, 2.0), "ompi-individual": (3.0, 3.0)}
    tried = []
    chosen, found = found_by(
        [tuning.ompio(["ompi-vulcan", "ompi-two_phase", "ompi-individual"], 4, {})], table, tried
    )
    assert chosen == {"write": "ompi-two_phase", "read": "ompi-two_phase"} and not [
        label for label in tried if label.startswith("ompi-vulcan:")
    ]
    assert {"settings": "ompi-vulcan", "error": "exit code 139"} in found.document()["tried"]


def test_a_setting_that_fails_when_run_again_is_left_out():
    runs = []

    def run(setting):
        runs.append(setting.label)
        if setting.label == "native" and runs.count("native") == 2:
            return Trial(setting, error="exit code 139")
        return Trial(setting, {"write": 1.0 if setting.label == "native" else 2.0})

    found = tuning.search([tuning.romio("native", 2, 1, {})], ["write"], run)
    assert (
        found.chosen["write"].label != "native"
        and {"settings": "native", "error": "exit code 139"} in found.document()["tried"]
    )


def test_the_smaller_of_two_times_counts():
    setting = Setting("native")
    merged = tuning.both(
        Trial(setting, {"write": 1.0, "read": 4.0}), Trial(setting, {"write": 2.0, "read": 3.0})
    )
    assert merged.seconds == {"write": 1.0, "read": 3.0}


def test_slow_settings_are_ended(site, monkeypatch):
    mpi = launch.named_mpi("mpich-9.9.1")
    clock, spent = [0.0], iter([1.0, 20.0, 4.0])
    limits = []

    def measure(setup, engine, arguments):
        limits.append(setup.timeout_s)
        clock[0] += next(spent)
        return launcher.Outcome([{"verified": True, "operations": [{"operation": "write", "seconds": 1.0}]}])

    monkeypatch.setattr(tuning.launcher, "measure", measure)
    monkeypatch.setattr(tuning.time, "monotonic", lambda: clock[0])
    runner = tuning.Runner(
        launcher.Setup(mpi, Build.of(mpi), 4, 600.0), lambda engine: [], lambda trial: None
    )
    for _ in range(3):
        runner(Setting("native"))
    assert limits == [600.0, tuning.LEAST_LIMIT_S, tuning.LEAST_LIMIT_S]
    runner._fastest_s = 5.0
    assert runner.limit_s() == 20.0
    runner._fastest_s = 500.0
    assert runner.limit_s() == 600.0
