"""The README's Python runs as it stands."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agnoboost.cli.app import app
from tools import figures

README = Path(__file__).parents[2] / "README.md"


def test_the_examples_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    assert "150 450" in printed
    assert "machine has labeled 600 rows, of which 150 have a checked label as well" in printed
    assert (tmp_path / "model.agno").exists()


def test_the_example_of_policies_runs(capsys, tmp_path, monkeypatch):
    pytest.importorskip("gymnasium")
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", (README.parent / "docs" / "rl.md").read_text(), re.DOTALL)
    exec(block, {})
    assert "annotated episodes: 9,700" in capsys.readouterr().out
    assert (tmp_path / "balance.agno").exists()


DOCS = README.parent / "docs"
MADE = {"gallery", "generated"}  # by the build of the site
PAGES = [
    README,
    *(README.parent / name for name in ("CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "paper/paper.md")),
    README.parent / "benchmarks" / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if not MADE & set(page.relative_to(DOCS).parts)),
]


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


FIGURES = {
    "README.md": ["few-labels study"],
    "paper/paper.md": ["few-labels study"],
    "docs/table_classifier.md": ["benchmarks/front_door.py", "few-labels study"],
    "docs/machine_labels.md": ["make demo, machine"],
    "docs/experiments.md": ["make demo"],
}


@pytest.mark.parametrize("page", FIGURES)
def test_figures_have_their_place(page):
    assert re.findall("<!-- figures: (.*) -->", (README.parent / page).read_text()) == FIGURES[page]


def test_the_readme_is_one_screen_and_leads_with_the_classifier_to_start_with():
    text = README.read_text()
    assert len(text.splitlines()) <= 100
    assert text.index("TableClassifier(") < text.index("Why believe it?") < text.index("the theory")


def test_figures_of_the_few_labels_study_are_those_of_its_results():
    """If this fails, the study was run again: ``python tools/figures.py``, and put its tables on the page."""
    for page in figures.PAGES:
        assert figures.renewed(page.read_text()) == page.read_text(), page.name
    page = (README.parent / "docs" / "table_classifier.md").read_text()
    (shown,) = re.findall("<!-- figures: few-labels study -->(.*?)<!-- end of figures -->", page, re.DOTALL)
    lines = [line for line in shown.splitlines() if line.startswith("|")]
    found = set((README.parent / "benchmarks" / "results" / "few-labels.md").read_text().splitlines())
    assert len(lines) > 50
    assert [line for line in lines if line not in found] == []


def test_figures_are_filled_in_between_their_marks():
    page = "a\n<!-- figures: x -->\nold\n<!-- end of figures -->\nb\n"
    assert figures.filled(page, "x", "\nnew\n") == "a\n<!-- figures: x -->\n\nnew\n\n<!-- end of figures -->\nb\n"
    with pytest.raises(ValueError, match="must have one place for figures of 'y'"):
        figures.filled(page, "y", "new")


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
