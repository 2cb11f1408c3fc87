"""The page of benchmarks: default and tuned settings side by side, losses against either shown."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest

import source_tree


@pytest.fixture(scope="module")
def page():
    path = source_tree.ROOT / "tools/benchmark_page"
    sys.path.insert(0, str(path.parent))
    loader = importlib.machinery.SourceFileLoader("benchmark_page", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("benchmark_page", loader))
    sys.modules["benchmark_page"] = module
    loader.exec_module(module)
    sys.path.remove(str(path.parent))
    return module


def document(pattern="s3d", mpi="mpich-4.0.2", parameters=None, **engines):
    """With (write, read) for each engine, against collio."""
    rows = [
        {
            "engine": name.replace("_", "-"),
            "operation": operation,
            "ratio_to_collio": ratio,
            "peak_rss_above_buffer_bytes": 2**20,
            "settings": "native:x=1",
        }
        for name, pair in {"collio": (1.0, 1.0), **engines}.items()
        for operation, ratio in zip(("write", "read"), pair)
    ]
    return {
        "pattern": pattern,
        "mpi": mpi,
        "ranks": 8,
        "results": rows,
        "machine": {"file_system": "tmpfs"},
        "parameters": parameters or {"nx": "8", "ny": "8", "nz": "8"},
    }


def rows_of(page, *documents):
    return [row for one in documents for row in page.rows_of(Path("tuned/x.json"), one)]


def test_default_and_tuned_stand_in_one_row(page):
    (row,) = rows_of(page, document(native=(4.0, 8.0), native_tuned=(2.0, 0.5), floor=(0.9, 0.8)))
    assert (row.speedup, row.tuned, row.floor) == (
        {"write": 4.0, "read": 8.0},
        {"write": 2.0, "read": 0.5},
        {"write": 0.9, "read": 0.8},
    )
    text = page.table([row])
    assert (
        "| write | write, tuned | read | read, tuned | floor, write |" in text
        and "| 4.0 | 2.0 | 8.0 | 0.50 | 0.90 | 0.80 |" in text
    )
    assert "`native:x=1`" in page.settings_table([row])


def test_a_loss_against_tuned_settings_is_a_loss(page):
    gains, loses = rows_of(
        page,
        document(native=(4.0, 4.0), native_tuned=(2.0, 2.0)),
        document(native=(4.0, 4.0), native_tuned=(2.0, 0.9)),
    )
    assert not gains.loses() and loses.loses()


def test_tuned_settings_without_default_ones(page):
    (row,) = rows_of(page, document(native_tuned=(2.0, 3.0)))
    assert (
        row.speedup == {} and row.cells(tuned=True)[3:7] == ["", "2.0", "", "3.0"] and "MPICH" in row.opponent
    )
    assert "MPICH" not in page.means([row])  # means compare the same cases


def test_a_failed_search_is_no_row(page):
    failed = document(native=(4.0, 4.0))
    failed["results"].append({"engine": "native-tuned", "operation": None, "verified": False, "error": "x"})
    (row,) = rows_of(page, failed)
    assert row.tuned == {} and row.speedup == {"write": 4.0, "read": 4.0}


def test_means_are_geometric_and_by_group(page):
    ior = {"transfer": "47008", "block": "47008", "segments": "8"}
    text = page.means(
        rows_of(
            page,
            document(native=(2.0, 4.0), native_tuned=(1.0, 2.0)),
            document(native=(8.0, 4.0), native_tuned=(4.0, 8.0)),
            document("ior", parameters=ior, native=(1.0, 1.0), native_tuned=(0.5, 0.25)),
        )
    )
    assert (
        "| MPICH 4.0.2 | 2 | 4.0 | 2.0 | 4.0 | 4.0 |" in text
        and "| MPICH 4.0.2 | 1 | 1.0 | 0.50 | 1.0 | 0.25 |" in text
    )


@pytest.mark.parametrize(
    "block, segments, text",
    [
        ("47008", "8", "ior, calls of 47008 B, strided"),
        ("376064", "1", "ior, calls of 47008 B, segmented"),
        ("94016", "4", "ior, calls of 47008 B"),
    ],
)
def test_accesses_of_ior_are_told_apart(page, block, segments, text):
    assert (
        page.one_step_text(
            {"pattern": "ior", "parameters": {"transfer": "47008", "block": block, "segments": segments}}
        )
        == text
    )
