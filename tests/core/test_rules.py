import numpy as np
import pytest

from agnoboost import Batch, Tape
from agnoboost.core.learners import Stump
from agnoboost.core.rules import EdgeStep, FixedStep, inverse_gamma
from agnoboost.core.tape import Add, Shrink

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


def test_a_whole_inverse_stays_and_everything_else_rounds_up():
    for k in (1, 2, 3, 7, 49, 10_000, 23_728_586, 10**8):
        assert inverse_gamma(1 / k) == k
    assert inverse_gamma(1 / 2.0001) == 3
    assert inverse_gamma(1 / 10.001) == 11


def test_edge_step_shrinks_at_the_threshold_and_counts_finely():
    rule = EdgeStep(rate=0.1, threshold=0.75)
    assert rule(BATCH, Tape(rule.unit(True)), GOOD).branch == "B"
    assert rule.unit(True) <= 2.0**-30
    assert rule.max_step == 0.1


def test_real_values_are_rounded_finely():
    rule = FixedStep(step=0.3)
    assert rule.unit(binary=False) <= rule.unit(binary=True) / 2**16
    assert rule.max_step == 0.3


def test_values_that_do_not_fit_are_refused():
    class Wild(Stump):
        def predict(self, X):
            return np.full(len(X), 1.5)

    class Half(Stump):
        def predict(self, X):
            return np.full(len(X), 0.5)

    for kind, message in ((Wild, r"values in \[-1, 1\]. Got Wild"), (Half, r"Got Half with values between")):
        with pytest.raises(ValueError, match=message):
            FixedStep()(BATCH, Tape(0.1), kind(0, 0.0, 1))


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
