import json

import numpy as np
import pytest

from agnoboost_experiments.halfspaces import EXPERIMENT
from agnoboost_experiments.halfspaces.design import work
from agnoboost_experiments.halfspaces.methods import excesses, monomials, size
from agnoboost_experiments.halfspaces.problem import NOISE, TEST_POINTS, points, side


@pytest.mark.parametrize("noise", list(NOISE))
def test_the_planted_halfspace_errs_on_a_fifth(noise, rng):
    problem = NOISE[noise](10, rng)
    X, y = problem.labeled(20_000, rng)
    assert np.mean(side(X, problem.weights) != y) == pytest.approx(0.2, abs=0.015)
    assert problem.excess(side(problem.test, problem.weights)) == 0.0
    assert problem.excess(-side(problem.test, problem.weights)) == pytest.approx(0.6, abs=0.02)


def test_with_noise_at_the_boundary_the_planted_halfspace_is_not_the_best(rng):
    problem = NOISE["boundary"](10, rng)
    assert problem.excess(problem.mean_label(problem.test)) == pytest.approx(-0.2, abs=1e-3)


def test_a_nuisance_is_out_of_reach_of_low_degree(rng):
    """No parity of degree 3 sees it: E[y|x] minus the halfspace's part has no correlation with any of them."""
    problem = NOISE["nuisance"](8, rng)
    X = points(8, 100_000, rng)
    rest = problem.mean_label(X) - 0.6 * side(X, problem.weights)
    assert np.abs(rest @ monomials(X, 3)).max() / len(X) < 0.01
    assert np.abs(rest).mean() == pytest.approx(0.4)


def test_unlabeled_points_are_uniform_and_free(rng):
    problem = NOISE["flips"](6, rng)
    sample = problem.stream().draw(10_000, rng)
    assert set(np.unique(sample.X)) == {-1.0, 1.0}
    assert np.abs(sample.X.mean(axis=0)).max() < 0.05
    assert len(problem.test) == TEST_POINTS


def test_monomials_are_products(rng):
    X = points(5, 20, rng)
    values = monomials(X, 3)
    assert values.shape == (20, size(5, 3) - 1)
    assert (values[:, 0] == X[:, 0]).all()
    assert (values[:, -1] == X[:, 2] * X[:, 3] * X[:, 4]).all()


def test_more_labels_and_less_noise_help(rng):
    problem = NOISE["flips"](8, rng)
    few, many = (excesses(problem, 2, labels, np.random.default_rng(0)) for labels in (200, 6000))
    for name in ("Algorithm 1", "Algorithm 2", "labeled-only", "GS24", "logistic regression"):
        assert many[name] < few[name]
        assert many[name] < 0.1
    assert sum(name.startswith("PAB") for name in few) == 6


def test_the_same_halfspace_serves_all_degrees_and_numbers_of_labels(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "agnoboost_experiments.halfspaces.design.excesses", lambda problem, *_: seen.append(problem.weights)
    )
    for degree, labels in ((1, 100), (2, 100), (2, 300)):
        work({"seed": 0}, {"noise": "flips", "n": 5, "degree": degree, "labels": labels, "number": 3})
    work({"seed": 0}, {"noise": "flips", "n": 5, "degree": 1, "labels": 100, "number": 4})
    assert (seen[0] == seen[1]).all()
    assert (seen[0] == seen[2]).all()
    assert (seen[0] != seen[3]).any()


def test_the_summary_takes_the_best_t_and_checks_the_claims():
    made = EXPERIMENT.study(seeds=3, labels=(1000, 3000), shapes=((20, 2),), noise=("nuisance",))

    def pretend(task):
        level = 0.1 if task["labels"] == 1000 else 0.05
        small = task["number"] / 1000
        return {
            "Algorithm 1": level + small,
            "Algorithm 2": level,
            "labeled-only": level,
            "GS24": level + 0.05,
            "PAB, T = 5": level + 0.08,
            "PAB, T = 10": level + 0.06 + small,
        }

    summary = EXPERIMENT.design.summarise(made, [pretend(task) for task in made.tasks])
    json.dumps(summary, allow_nan=False)
    assert [cell["labels"] for cell in summary["cells"]] == [1000, 3000]
    assert summary["cells"][0]["pab_rounds"] == 10
    claims = summary["claims"]
    assert claims["algorithm1_with_1000_minus_pab_with_3000"]["mean"] == pytest.approx(-0.01)
    assert claims["algorithm1_minus_gs24_with_1000"]["mean"] == pytest.approx(-0.049)
    assert claims["algorithm1_minus_labeled_only_with_1000"]["mean"] == pytest.approx(0.001)
    page = EXPERIMENT.page.markdown(summary)
    assert "(T = 10)" in page
    assert "logistic regression" in page


def test_few_labels_go_further_with_algorithm_1():
    """The claim of the page, on fewer halfspaces."""
    made = EXPERIMENT.study(seeds=5, labels=(1000,), shapes=((20, 2),), noise=("nuisance",))
    results = [made.work(made.settings, task) for task in made.tasks]
    ours, gs24 = (np.array([result[name] for result in results]) for name in ("Algorithm 1", "GS24"))
    assert (gs24 - ours).mean() > 2 * (gs24 - ours).std(ddof=1) / np.sqrt(5)
