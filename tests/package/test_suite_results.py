"""tools/suite_results.py: why a test was skipped is read from what ctest's programs, GoogleTest and pytest
write down."""

import sys

import source_tree

sys.path.insert(0, str(source_tree.ROOT / "tools"))
import suite_results

CASES = """<testsuite>
<testcase name="passes" status="run"><system-out>skipped: only a word in its output</system-out></testcase>
<testcase name="program" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>a line
skipped: no tmpfs may be mounted here
nothing failed on 4 ranks</system-out></testcase>
<testcase name="unit" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN ] A.B
a.cpp:2: Skipped
no /dev/full here
[  SKIPPED ] A.B</system-out></testcase>
<testcase classname="tests" name="of_python">
<skipped type="pytest.skip" message="no hwloc">where</skipped></testcase>
<testcase classname="tests" name="of_python_too">
<skipped type="pytest.skip" message="no hwloc">where</skipped></testcase>
<testcase name="silent" status="disabled"/>
<testcase name="fails" status="fail"><failure message=""/></testcase>
<testcase name="breaks"><error message="in a fixture"/></testcase>
</testsuite>"""


def test_reasons_of_skipped_tests_are_read(tmp_path):
    path = tmp_path / "results.xml"
    path.write_text(CASES)
    results = suite_results.read_results(path)
    assert str(results) == "1 passed, 2 failed, 5 skipped"
    assert results.failed == ["fails", "breaks"] and not results.good
    assert results.reasons == {
        "no tmpfs may be mounted here": 1,
        "no /dev/full here": 1,
        "no hwloc": 2,
        "no reason given": 1,
    }
    assert results.reason_lines(2)[0] == "  2 skipped: no hwloc"
    assert (results + results).reasons["no hwloc"] == 4


def test_nothing_tested_is_not_good():
    assert not suite_results.Results(reasons=["no hwloc"]).good
    assert suite_results.Results(passed=1).good
