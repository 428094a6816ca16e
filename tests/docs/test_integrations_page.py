"""The examples of docs/integrations.md run as they stand."""

import re
from pathlib import Path

import pytest


def test_the_examples_run(capsys, tmp_path, monkeypatch):
    for package in ("xgboost", "lightgbm", "distributed"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text()
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
    said = capsys.readouterr().out
    assert [float(found) > 0.85 for found in re.findall(r"accuracy (0\.\d+)", said)] == [True, True]
    assert "dask.array<" in said
    assert names["alone"].score(names["X"], names["table"].y > 0) > 0.85
