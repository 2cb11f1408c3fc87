"""tools/foreign_suites, with a suite that has a test which fails under collio."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

import pytest

CONFIGURE = """#!/bin/sh
mkdir -p tests
echo all: > Makefile
cat > tests/Makefile <<'END'
.RECIPEPREFIX = >
all:
check:
>@echo "PASS: $(WHERE)"
>@case "$(START)" in *collio_mpiio*) echo "FAIL: second"; exit 1;; *) echo "PASS: second";; esac
END
"""


@pytest.fixture
def tool(monkeypatch, tmp_path, real_mpi):
    path = Path(__file__).resolve().parents[2] / "tools/foreign_suites"
    monkeypatch.syspath_prepend(path.parent)
    loader = importlib.machinery.SourceFileLoader("foreign_suites", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    monkeypatch.setitem(sys.modules, loader.name, module)
    loader.exec_module(module)
    suite = module.Suite(
        configure=[],
        build=[],
        folders=["tests"],
        checks=["check"],
        variables=["START={mpirun}", "WHERE=first"],
        passed=r"PASS: (.*)",
        failed=r"FAIL: (.*)",
    )
    monkeypatch.setattr(module, "SUITES", {"mine": suite})
    monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    monkeypatch.setattr("sys.argv", ["foreign_suites", "mine", str(tmp_path), "--mpi", real_mpi.id])
    return module


def test_a_test_that_fails_under_collio_is_named(tool, tmp_path, capsys):
    (tmp_path / "configure").write_text(CONFIGURE)
    (tmp_path / "configure").chmod(0o755)
    assert tool.main() == 1
    printed = capsys.readouterr().out
    assert "tests            2 passed, 0 failed -> 1 passed, 1 failed, check ended with 2" in printed
    assert "worse: second" in printed and "worse: check ended with 2" in printed
    assert "worse: first" not in printed


def test_a_source_without_configure_is_refused(tool):
    with pytest.raises(tool.Stop, match="has no configure; run autoreconf -i there"):
        tool.main()
