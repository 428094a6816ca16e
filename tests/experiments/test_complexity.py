import json

import numpy as np
import pytest

from agnoboost_experiments.complexity import EXPERIMENT
from agnoboost_experiments.complexity.methods import (
    BOOSTERS,
    Family,
    Setting,
    erm_excess,
    excess,
    excess_by_length,
    signed_majorities,
)
from agnoboost_experiments.complexity.search import labels_needed, on_schedule
from agnoboost_experiments.cube import Cube


@pytest.mark.parametrize("votes", [3, 5])
def test_gamma_is_exact(votes):
    """Every labeling has a parity of correlation gamma * corr(h*); the majority itself shows that no more is true."""
    family, cube = Family(votes, 0.1), Cube(votes)
    coefficients = cube.correlations(cube.majority(range(votes))[None] / cube.size)[0]
    assert 1 / np.abs(coefficients).sum() == pytest.approx(family.gamma)
    # The labeling that attains it: the sign pattern of the coefficients, spread evenly.
    labels = np.sign(coefficients) * (coefficients != 0) / np.abs(coefficients).sum()
    assert np.abs(labels).max() / (labels @ coefficients) == pytest.approx(family.gamma)


def test_the_schedule_is_theorem_1s():
    setting = Family(3, 0.05).schedule()
    assert setting == Setting(0.025, 3200)  # eta/gamma = gamma eps; T = 2/(gamma eps)^2


def test_relevant_coordinates_differ_between_repetitions():
    problem = Family(3, 0.1).problem(20, np.random.default_rng(0))
    assert len(np.unique(problem.mean_label, axis=0)) > 10
    assert np.abs(problem.mean_label).max() == pytest.approx(0.2)
    assert problem.correlation(np.sign(problem.mean_label)) == pytest.approx(np.full(20, 0.2))


@pytest.mark.parametrize("method", list(BOOSTERS))
def test_many_labels_suffice_and_few_do_not(method):
    family = Family(3, 0.25)
    few, many = (
        np.median(excess(family, method, labels, Setting(0.1, 60), 8, np.random.default_rng(0)))
        for labels in (60, 60_000)
    )
    assert many < 0.02 < 0.2 < few


def test_empirical_risk_minimisation_finds_the_target():
    assert signed_majorities(Cube(4), 3).shape == (4 * 8, 16)
    assert erm_excess(Family(3, 0.2), 5000, 4, np.random.default_rng(0)) == pytest.approx(np.zeros(4))


@pytest.mark.parametrize("method", ["PAB", "GS24"])
def test_no_label_is_wasted(method, monkeypatch):
    from agnoboost_experiments.cube import CubeProblem

    counts, draw = [], CubeProblem.labeled
    monkeypatch.setattr(CubeProblem, "labeled", lambda self, rows, rng: counts.append(rows) or draw(self, rows, rng))
    excess(Family(3, 0.2), method, 500, Setting(0.1, 200), 2, np.random.default_rng(0))
    assert counts[0] == 125  # held out
    assert sum(counts[1:]) == 375
    assert counts[1:] == [2] * 175 + [1] * 25


def test_shorter_runs_are_prefixes():
    family, setting = Family(3, 0.2), Setting(0.1, 30)
    both = excess_by_length(family, "Algorithm 1", 500, setting, (10, 30), 4, np.random.default_rng(0))
    alone = excess(family, "Algorithm 1", 500, Setting(0.1, 10), 4, np.random.default_rng(0))
    np.testing.assert_array_equal(both[0], alone)


def test_the_search_finds_the_smallest_budget_that_suffices():
    lucky = {256}

    def reach(labels):
        return np.full(4, 0.05 if labels >= 1000 or labels in lucky else 0.5)

    found = labels_needed(reach, 0.1)
    assert found["needed"] == 1024
    assert [entry["labels"] for entry in found["tried"]] == [128, 256, 362, 512, 724, 1024, 1448]
    assert labels_needed(lambda labels: np.zeros(4), 0.1)["needed"] == 8
    assert found["tried"][-1] == {"labels": 1448, "median_excess": 0.05, "share_within": 1.0}
    assert labels_needed(lambda labels: np.full(4, 0.05 if labels > 700 else 0.5), 0.1)["needed"] == 724
    assert labels_needed(lambda labels: np.ones(4), 0.1)["needed"] is None


def test_algorithm_1_needs_far_fewer_labels_than_its_forerunners_on_the_schedule():
    needed = {name: on_schedule(Family(3, 0.2), name, 0, 16)["needed"] for name in ("PAB", "GS24", "Algorithm 1")}
    assert needed["PAB"] >= 16 * needed["Algorithm 1"]
    assert needed["GS24"] >= 2.5 * needed["Algorithm 1"]


def test_a_small_study_from_end_to_end():
    made = EXPERIMENT.study(repetitions=4, epsilons=(0.4, 0.2), votes=(3,))
    assert len(made.tasks) == 2 * 6 + 2 * 5

    def pretend(task):
        """Labels grow as (1/eps)^3 for PAB and as (1/eps)^2 for the others; GS24 never gets there."""
        power = 3 if task["method"] == "PAB" else 2
        needed = None if task["method"] == "GS24" else round(100 * (1 / task["epsilon"]) ** power)
        return {"needed": needed, "tried": []}

    summary = EXPERIMENT.design.summarise(made, [pretend(task) for task in made.tasks])
    json.dumps(summary, allow_nan=False)
    methods = summary["groups"][0]["methods"]
    assert methods["PAB"]["slope"] == pytest.approx(3, abs=0.01)
    assert methods["Algorithm 1"]["slope"] == pytest.approx(2, abs=0.01)
    assert methods["PAB"]["against_algorithm1"]["0.2"] == pytest.approx(5)
    assert methods["GS24"]["labels"] == {"0.4": None, "0.2": None}
    page = EXPERIMENT.page.markdown(summary)
    assert "not reached" in page
    assert "12,500 (5.0 x)" in page
