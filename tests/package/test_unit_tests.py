"""Every module of the pure floors has a unit test: a file of its name in tests/unit, or one that includes its
header."""

import re

import pytest

import source_tree

FLOORS = ("core", "observe", "machine", "policy", "flow", "simulate", "storage")
PURE_ELSEWHERE = {"engine/file/kept_memories", "engine/file/plan_memory"}
WITHOUT = {
    "simulate/call": "the plan is policy's; simulated_call_test",
    "simulate/outcome": "plain data; simulated_call_test",
    "core/content_hash": "tested by what it recognises: plan_memory_test",
    "core/extent": "plain data; every test of patterns",
    "core/index": "one cast",
    "machine/layout": "plain data; layouts_test and by_layout_test",
    "core/matrix": "plain data; demand_test and placement_test",
    "core/names": "tables of names are read and written in hints_test",
    "core/varint": "pattern_test packs and unpacks every length",
    "machine/machine": "plain data",
    "machine/shapes": "topology_test walks every route of every shape",
    "observe/file_times": "sums of times; tests/python/test_report_schema.py",
    "observe/report_records": "made from report.def; report_text_test",
    "policy/hints/choices": "enumerations; hints_test has every word",
    "policy/hints/hint_kinds": "hints_test reads every kind of value",
    "policy/plan/reason": "an enumeration; reason_text_test",
    "policy/trials/sign_test": "contest_test",
    "simulate/storage_way": "compare_test",
    "simulate/two_layer_parts": "plain data; simulated_call_test",
    "storage/null": "storage_kinds_test runs every kind of storage",
    "storage/threads": "storage_kinds_test",
    "storage/tickets": "storage_kinds_test",
    "storage/uring": "storage_kinds_test",
    "storage/uring_absent": "storage_kinds_test where liburing is missing",
    "storage/worker_pool": "storage_kinds_test",
}


def modules():
    found = set(PURE_ELSEWHERE)
    folders = [source_tree.ROOT / "src" / floor for floor in FLOORS]
    for folder in folders + [room for room in (source_tree.ROOT / "src/policy").iterdir() if room.is_dir()]:
        for path in folder.glob("*.[ch]pp"):
            found.add(path.relative_to(source_tree.ROOT / "src").with_suffix("").as_posix())
    return found


def modules_with_tests():
    folder = source_tree.ROOT / "tests" / "unit"
    names = {path.name.removesuffix("_test.cpp") for path in folder.glob("*_test.cpp")}
    included = {
        name
        for path in folder.glob("*_test.cpp")
        for name in re.findall(r'#include "([\w/]+)\.hpp"', path.read_text())
    }
    return {module for module in MODULES if module in included or module.rsplit("/", 1)[-1] in names}


MODULES = modules()
TESTED = modules_with_tests()


@pytest.mark.parametrize("module", sorted(MODULES))
def test_module_has_a_unit_test(module):
    assert module in TESTED or module in WITHOUT, (
        f"{module}: add tests/unit/{module.rsplit('/', 1)[-1]}_test.cpp, or a reason to WITHOUT above"
    )


def test_list_of_exceptions_is_true():
    assert not sorted(WITHOUT.keys() & TESTED), "these have a unit test: take them off the list"
    assert not sorted(WITHOUT.keys() - MODULES), "there are no such modules"
