"""Names from a stranger's file are shown, and steer no terminal."""

import numpy as np
import pytest

import agnoboost as ab

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from agnoboost.cli.app import app  # noqa: E402
from agnoboost.cli.console import cell, printable  # noqa: E402


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Größe, 大小 [cm]", "Größe, 大小 [cm]"),
        ("two\nlines", "two\nlines"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("half \ud800", "half \\ud800"),
        ("turned \u202e", "turned \\u202e"),
    ],
)
def test_only_what_cannot_be_shown_is_spelled_out(name, shown):
    assert printable(name) == shown


def test_cells_are_no_markup():
    assert cell("[red]x[/red]") == r"\[red]x\[/red]"


def test_a_model_with_strange_names_can_be_inspected(tmp_path):
    X = pd.DataFrame({"a\x1b]0;title\x07": np.arange(40.0), "b": np.arange(40.0) % 7})
    y = np.where(np.arange(40) < 20, "\x9bno", "\udfffyes")
    model = ab.AgnosticBoostingClassifier(weak_learner="stump", n_rounds=2, random_state=0).fit(X, y)
    model.save(tmp_path / "model.agno")
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["inspect", str(tmp_path / "model.agno")])
    assert done.exit_code == 0, done.output
    for shown in (r"a\x1b]0;title\x07", r"\x9bno", r"\udfffyes"):
        assert shown in done.stdout
    assert "\x1b]0" not in done.stdout
