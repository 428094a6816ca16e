import numpy as np
import pytest

from agnoboost import Batch, Tape
from agnoboost.learners import Stump
from agnoboost.rules import EdgeStep, FixedStep, inverse_gamma
from agnoboost.tape import Add, Shrink

X = np.array([[-1.0], [1.0], [2.0], [3.0]])
BATCH = Batch(X, np.array([-1.0, 1.0, 1.0, 0.0]), np.full(4, 0.25))
GOOD = Stump(0, 0.0, 1)  # edge 3/4


def test_fixed_step_adds_above_the_threshold_and_shrinks_at_it():
    rule = FixedStep(step=0.2, gamma=0.5, threshold=0.7)
    tape = Tape(rule.unit(binary=True))
    assert tape.unit == pytest.approx(0.1)
    decision = rule(BATCH, tape, GOOD)
    assert (decision.step, decision.edge, decision.branch) == (Add(GOOD, 2), 0.75, "A")
    at_threshold = FixedStep(step=0.2, gamma=0.5, threshold=0.75)(BATCH, tape, GOOD)
    assert (at_threshold.step, at_threshold.branch) == (Shrink(1), "B")


def test_the_edge_is_a_mean_not_a_sum():
    doubled = Batch(np.concatenate([X, X]), np.tile(BATCH.target, 2), np.full(8, 0.125))
    rule = FixedStep(threshold=0.74)
    assert rule(doubled, Tape(rule.unit(True)), GOOD).edge == rule(BATCH, Tape(rule.unit(True)), GOOD).edge


@pytest.mark.parametrize("gamma", [1.0, 0.5, 0.1, 2 / 7, 0.03])
def test_margins_are_whole_multiples_of_the_case_b_step(gamma):
    rule = FixedStep(step=0.3, gamma=gamma, threshold=0.5)
    for binary in (True, False):
        tape = Tape(rule.unit(binary))
        add, shrink = rule(BATCH, tape, GOOD).step, rule(BATCH, tape, Stump(0, 2.5, 1)).step
        assert add.coef == inverse_gamma(gamma) * shrink.coef
        assert add.coef * tape.unit == pytest.approx(0.3)
        assert shrink.coef * tape.unit <= gamma * 0.3 + 1e-12


def test_edge_step_is_proportional_to_the_edge():
    rule = EdgeStep(rate=0.5)
    tape = Tape(rule.unit(binary=True))
    step = rule(BATCH, tape, GOOD).step
    assert step.coef * tape.unit == pytest.approx(0.5 * 0.75)


def test_edge_step_case_b_goes_back_by_its_own_edge():
    rule = EdgeStep(rate=0.5, threshold=0.9)
    wrong = Tape(rule.unit(binary=True)).append(Add(Stump(0, 0.0, -1), 10))
    decision = rule(BATCH, wrong, GOOD)
    assert decision.branch == "B"
    assert decision.step.coef * wrong.unit == pytest.approx(0.5 * 0.75)  # -sign(H) is GOOD here
    right = Tape(rule.unit(binary=True)).append(Add(GOOD, 10))
    assert rule(BATCH, right, GOOD).step == Shrink(0)


@pytest.mark.parametrize("gamma", [0.0, -1.0, 1.5, np.nan, "x", None])
def test_gamma_outside_its_range_is_refused(gamma):
    with pytest.raises(ValueError, match=r"gamma must be .*\(0, 1\].*Got"):
        FixedStep(gamma=gamma)


@pytest.mark.parametrize("bad", [0.0, -0.1, np.inf, np.nan])
def test_steps_must_be_positive_and_finite(bad):
    with pytest.raises(ValueError, match="step must be in"):
        FixedStep(step=bad)
    with pytest.raises(ValueError, match="rate must be in"):
        EdgeStep(rate=bad)
    with pytest.raises(ValueError, match="threshold must be in"):
        FixedStep(threshold=-0.1)
