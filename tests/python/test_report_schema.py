"""The report's JSON Schema: real reports are as it says, it refuses what is not, and it is what the table
gives."""

import json
from pathlib import Path

import jsonschema
import pytest

import whole_reports
from collio.report import reading

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())
RANKS = 4


@pytest.fixture(scope="session")
def schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("nodes", [1, 2])
def test_real_reports_are_as_the_schema_says(
    real_mpi, compiled, collio_process, tmp_path, monkeypatch, schema, nodes
):
    if nodes > 1:
        monkeypatch.setenv("COLLIO_RANKS_PER_NODE", str(RANKS // nodes))
    path = tmp_path / "r.json"
    for program in ("interleaved", "killed"):
        words = (
            [compiled(real_mpi, program), tmp_path / "data"]
            if program == "interleaved"
            else [compiled(real_mpi, program), tmp_path]
        )
        collio_process(
            "run", "--report", path, "--set", "cb_nodes=2", "--", real_mpi.mpiexec, "-n", RANKS, *words
        )
        document = json.loads(path.read_text())
        assert document["files"] and any(file["calls"] for file in document["files"])
        schema.validate(document)
        assert reading.load(path)["files"]
    assert all("network" not in file or nodes > 1 for file in document["files"])


@pytest.mark.parametrize(
    "good, change",
    [
        (True, {}),
        (True, {"agreement": "messages"}),
        (False, {"colour": 1}),
        (False, {"warnings": [3]}),
        (False, {"nodes": None}),
    ],
)
def test_schema_and_reader_agree(schema, tmp_path, good, change):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"files": [{**whole_reports.file(calls=[{}], network={}), **change}]}))
    assert schema.is_valid(json.loads(path.read_text())) == good
    if good:
        assert reading.load(path)
    else:
        with pytest.raises(reading.ReportError):
            reading.load(path)
