import json
import subprocess
import sys

import pytest

pytest.importorskip("typer")
pytest.importorskip("matplotlib")

from typer.testing import CliRunner

from agnoboost.cli.app import app
from agnoboost_experiments import EXPERIMENTS, covariate_shift, rl
from agnoboost_experiments.covariate_shift import design as shift_study

SHIFT = ["reproduce", "shift", "--quick", "--jobs", "1"]


def make_quick(monkeypatch, package, **settings):
    for name, value in settings.items():
        monkeypatch.setitem(package.EXPERIMENT.quick, name, value)


@pytest.fixture
def small(monkeypatch):
    make_quick(monkeypatch, covariate_shift, repetitions=2, shifts=(1.0, 4.0), labels=(40,))
    monkeypatch.setattr(shift_study, "ROUNDS", 5)
    monkeypatch.setattr(shift_study, "TIMES_ESTIMATED", 1)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_study_writes_its_files_and_says_how_it_was_made(small, tmp_path):
    out = tmp_path / "new" / "folder"
    result = run(*SHIFT, "--seed", 3, "--out", out)
    assert result.exit_code == 0, result.output
    facts = json.loads((out / "shift.json").read_text())
    assert facts["command"] == "agnoboost reproduce shift --quick --seed 3"
    assert facts["settings"]["seed"] == 3
    assert facts["versions"]["agnoboost"]
    assert (out / "shift.png").read_bytes()[:4] == b"\x89PNG"
    assert (out / "shift.md").read_text() in result.output
    assert "Algorithm 3, 4C" in result.output


def test_it_can_be_run_again_and_refuses_another_runs_folder(small, tmp_path, monkeypatch):
    assert run(*SHIFT, "--out", tmp_path).exit_code == 0
    first = (tmp_path / "shift.json").read_bytes()
    monkeypatch.setattr(shift_study, "boost_tables", None)  # must not be needed
    assert run(*SHIFT, "--out", tmp_path).exit_code == 0
    assert (tmp_path / "shift.json").read_bytes() == first
    refused = run(*SHIFT, "--seed", 1, "--out", tmp_path)
    assert refused.exit_code == 2
    assert "belongs to another run" in refused.output


def test_ctrl_c_says_how_to_go_on(small, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(shift_study, "boost_tables", interrupted)
    result = run(*SHIFT, "--out", tmp_path)
    assert result.exit_code == 130
    assert "The same command goes on" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shift", "--jobs", 0], "--jobs must be a number of processes"),
        (["table1", "--data-set", "iris"], "data sets must be among ionosphere"),
        (["table1", "--protocol", "lucky"], "lucky"),
        (["table1", "--folds", 1], "folds"),
        (["table1", "--folds", 300], "folds must be from 2 to 208"),
        (["table1", "--step", -1], "step"),
        (["table1", "--protocol", "printed", "--held-out"], "--held-out is for the honest protocol"),
    ],
)
def test_bad_options(arguments, message, tmp_path):
    result = run("reproduce", *arguments, "--out", tmp_path)
    assert result.exit_code == 2
    assert message in result.output
    assert not list(tmp_path.iterdir())


def test_given_options_count_more_than_quick(small, tmp_path):
    result = run(*SHIFT, "--repetitions", 3, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "shift.json").read_text())
    assert facts["settings"]["repetitions"] == 3
    assert facts["command"] == "agnoboost reproduce shift --repetitions 3 --quick"
    (tmp_path / "file").touch()
    assert "--out must be a folder" in run(*SHIFT, "--out", tmp_path / "file").output


every_experiment = pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)


@every_experiment
def test_the_quick_settings_are_settings(experiment):
    """What --quick changes must exist."""
    if experiment is rl.EXPERIMENT:
        pytest.importorskip("gymnasium")
    assert experiment.study(**experiment.quick).tasks


@every_experiment
def test_help_names_every_option(experiment):
    result = run("reproduce", experiment.name, "--help")
    own = [option.flag for option in experiment.options]
    assert all(option in result.output for option in ("--seed", "--out", "--jobs", "--quick", *own))


@pytest.mark.parametrize("name", ["fewlabels", "labels"])
def test_old_names_are_understood_but_not_shown(name):
    assert run("reproduce", name, "--help").exit_code == 0
    assert f"│ {name} " not in run("reproduce", "--help").output


def test_the_command_line_starts_without_the_experiments():
    """They are imported when they are run."""
    code = "import sys, agnoboost.cli.app; print([name for name in sys.modules if name.endswith('.design')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_folders_must_exist(tmp_path):
    result = run("reproduce", "few-labels", "--data", tmp_path / "nowhere", "--out", tmp_path)
    assert result.exit_code == 2
    assert "--data must be a folder" in result.output


def test_policies_need_gymnasium(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    result = run("reproduce", "rl", "--quick", "--out", tmp_path)
    assert result.exit_code == 2
    assert "agnoboost[rl]" in result.output
    assert not list(tmp_path.iterdir())


def test_policies_write_their_files(monkeypatch, tmp_path):
    pytest.importorskip("gymnasium")
    from agnoboost_experiments.rl import design, methods

    make_quick(monkeypatch, rl, seeds=2, episodes=(60, 120), worlds=("bits", "chain"))
    monkeypatch.setattr(methods, "INNER_ROUNDS", (5,))
    monkeypatch.setattr(methods, "REWARD_FREE", 600)
    monkeypatch.setattr(methods, "DECAYS", (0.5,))
    monkeypatch.setattr(design, "returns", lambda seed, balance=design.returns: balance(seed, annotated=80))
    result = run("reproduce", "rl", "--quick", "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "Q-learning" in result.output
    assert (tmp_path / "rl.png").read_bytes()[:4] == b"\x89PNG"
