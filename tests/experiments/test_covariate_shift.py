import json

import numpy as np
import pytest

from agnoboost_experiments.covariate_shift import EXPERIMENT
from agnoboost_experiments.covariate_shift.design import IGNORING, KNOWING, make_problem, work
from agnoboost_experiments.statistics import paired_p


@pytest.mark.parametrize("shift", [1.0, 4.0, 16.0])
def test_the_density_ratio_is_what_it_is_said_to_be(shift):
    problem = make_problem(shift, 2, np.random.default_rng(0))
    assert (problem.mass / problem.unlabeled_mass).max() == pytest.approx(shift)
    assert problem.correlation(np.sign(problem.mean_label)) == pytest.approx(np.full(2, 0.6))


def test_algorithm_3_beats_ignoring_the_shift_and_keeps_up_with_labels_alone(monkeypatch):
    monkeypatch.setattr("agnoboost_experiments.covariate_shift.design._estimates", lambda *_: [])
    found = work({"seed": 0, "repetitions": 32}, {"shift": 16.0, "labels": 2000})["correlation"]
    knowing, ignoring = np.array(found[KNOWING]), np.array(found[IGNORING])
    assert np.mean(knowing - ignoring) >= 0.10
    assert paired_p(knowing, ignoring) < 0.001
    assert np.mean(found["labeled-only"]) - np.mean(knowing) <= 0.05
    assert np.mean(found["Algorithm 3, 4C"]) == pytest.approx(np.mean(knowing), abs=0.01)  # overestimating is free


def test_a_small_study_from_end_to_end():
    made = EXPERIMENT.study(repetitions=3, shifts=(1.0, 4.0), labels=(100,))
    results = [made.work(made.settings, task) for task in made.tasks]
    summary = EXPERIMENT.design.summarise(made, results)
    json.dumps(summary, allow_nan=False)
    assert "Algorithm 3, C/4" not in summary["cells"][0]["correlation"]
    assert summary["cells"][0]["gain_over_ignoring"]["p"] == 1.0  # with C = 1 both are the same algorithm
    page = EXPERIMENT.page.markdown(summary)
    assert "C by `estimate_shift`" in page
    assert results[1]["correlation"] == made.work(made.settings, made.tasks[1])["correlation"]
