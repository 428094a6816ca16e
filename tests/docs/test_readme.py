"""The README's Python runs as it stands."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agnoboost.cli.app import app

README = Path(__file__).parents[2] / "README.md"


def test_the_examples_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) == 6
    names = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    assert float(re.search(r"accuracy (0\.\d+)", printed).group(1)) > 0.8
    assert "150 450" in printed
    assert "machine has labeled 600 rows, of which 150 have a checked label as well" in printed
    assert (tmp_path / "model.agno").exists()
    assert "PAB (2009)" in printed


def test_the_example_of_policies_runs(capsys, tmp_path, monkeypatch):
    pytest.importorskip("gymnasium")
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", (README.parent / "docs" / "rl.md").read_text(), re.DOTALL)
    exec(block, {})
    assert "annotated episodes: 9,700" in capsys.readouterr().out
    assert (tmp_path / "balance.agno").exists()


PAGES = [README, README.parent / "benchmarks" / "README.md", *sorted((README.parent / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_links_point_to_files(page):
    for name in re.findall(r"\]\((?!https?:)([^)#\s]+)\)", page.read_text()):
        assert (page.parent / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_places_for_figures_are_closed(page):
    """Between these marks figures are filled in from a run; a mark that is lost would let old figures stay."""
    marks = re.findall(r"<!-- (figures: [^>]+|end of figures) -->", page.read_text())
    assert len(marks) % 2 == 0
    assert all(mark.startswith("figures: ") for mark in marks[::2])
    assert all(mark == "end of figures" for mark in marks[1::2])


def test_the_readme_leads_with_the_classifier_to_start_with():
    text = README.read_text()
    assert text.index("TableClassifier(") < text.index("AgnosticBoostingClassifier`")
    for name in ("few-labels study", "make demo", "make demo, machine", "benchmarks/front_door.py"):
        assert f"<!-- figures: {name} -->" in text


def test_the_example_of_label_models_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", (README.parent / "docs" / "labels.md").read_text(), re.DOTALL)
    exec(block, {})
    assert float(re.search(r"positives: (0\.\d+)", capsys.readouterr().out).group(1)) > 0.7


def test_the_example_of_channels_runs(capsys):
    text = (README.parent / "docs" / "label_algebra.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(block, {})
    assert len(re.findall(r"accuracy 0\.[6-9]", capsys.readouterr().out)) == 4


def test_the_example_of_certificates_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", (README.parent / "docs" / "certificate.md").read_text(), re.DOTALL)
    exec(block, {})
    assert "With 95% confidence, from 1,000 held-out labels" in capsys.readouterr().out


def test_the_example_of_parts_of_your_own_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", (README.parent / "CONTRIBUTING.md").read_text(), re.DOTALL)
    exec(block, {"__name__": "contributing"})
    assert "rounds run: 40" in capsys.readouterr().out


def test_the_examples_of_explanations_run(capsys, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    page, names = (README.parent / "docs" / "explain.md").read_text(), {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
    plt.close("all")
    printed = capsys.readouterr().out
    assert "(5, 5) sums:" in printed
    assert "used most: ['mean area', 'mean concave points', 'mean texture']" in printed
    assert "(40, 2) (14, 14, 2)" in printed
    assert (tmp_path / "row.png").exists()
    (command,) = re.findall(r"^    agnoboost (explain .*)$", page, re.MULTILINE)
    said = CliRunner().invoke(app, command.split()).output
    (shown,) = re.findall(r"^    (row 1: .*?)\n", page, re.MULTILINE)
    assert shown in said
