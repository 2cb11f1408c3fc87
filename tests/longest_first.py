"""The order of files in a run on several workers, a file each: those that take longest first, or a worker is
left with one at the end."""

from pathlib import Path

LONGEST = [
    "test_library",
    "test_bench",
    "test_bench_patterns",
    "test_lab_striped",
    "test_power_loss",
    "test_bench_pnetcdf",
    "test_topo_measure",
    "test_lab_network",
    "test_redeal",
    "test_lab_teardown",
    "test_doctor",
    "test_probe",
    "test_report_real",
    "test_checkpoints",
    "test_simulate",
    "test_killed",
    "test_wheel",
    "test_install",
    "test_install_programs",
    "test_package_programs",
]


def keep_order(config):
    """pytest-xdist would begin with the files of most tests."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def sort(items):
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(Path(item.fspath).stem, len(places)))
