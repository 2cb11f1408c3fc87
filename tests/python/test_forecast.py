"""bench/forecast: the simulator forecasts cells, and documents of `collio bench` are compared with them."""

import importlib.machinery
import importlib.util
import json
from pathlib import Path

import pytest

from collio.plan import program
from collio.plan.errors import PlanError

SCRIPT = Path(__file__).resolve().parents[2] / "bench/forecast"


@pytest.fixture
def forecast(tmp_path, monkeypatch):
    loader = importlib.machinery.SourceFileLoader("forecast", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("forecast", loader))
    loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    monkeypatch.setattr(module, "FIRST", tmp_path)
    monkeypatch.setattr(
        module, "cells", lambda: [("interleave-pair", "pair", 4, ["interleave", "--pieces", "1000"])]
    )
    return module


def test_measured_calls_are_compared_with_their_forecast(forecast, capsys):
    ways = [
        {"way": way, "seconds": seconds, "busiest": "links", "busiest_s": seconds / 2}
        for way, seconds in zip(forecast.WAYS, (1, 1.2, 3))
    ]
    (forecast.RESULTS / "forecast.json").write_text(
        json.dumps({"cells": [{"name": "interleave-pair", "preset": "pair", "ways": ways}]})
    )
    results = [
        {"engine": forecast.engine(way), "later_steps_data_s": data}
        for way, data in zip(forecast.WAYS, ([1, 2, 1], [1, 0.9, 1], [4, 4, 4]))
    ]
    (forecast.RESULTS / "interleave-pair.json").write_text(json.dumps({"results": results}))
    forecast.table()
    shown = capsys.readouterr().out
    assert "| 3 | 20 % | 25 % | 1 | 3 | 2 of 2 | 0 of 0 |" in shown, (
        "the first two ways differ too little to have an order"
    )
    assert "| pair | interleave | two_layer, 2 aggregators | 3000 | 4000 | -25 % | links 50 % |" in shown


def test_nothing_is_measured_without_a_forecast(forecast):
    with pytest.raises(SystemExit, match="run bench/forecast predict"):
        forecast.measure("")


def test_cells_are_forecast(forecast):
    try:
        program.find_program(program.SIMULATE)
    except PlanError as error:
        pytest.skip(str(error))
    forecast.predict()
    (cell,) = json.loads((forecast.RESULTS / "forecast.json").read_text())["cells"]
    assert [way["way"] for way in cell["ways"]] == list(forecast.WAYS)
    assert all(0 < way["busiest_s"] <= way["seconds"] for way in cell["ways"])
    assert "--cost processors=2" in " ".join(cell["ways"][0]["command"])
