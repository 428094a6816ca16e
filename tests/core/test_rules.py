import numpy as np
import pytest

from agnoboost import Batch, Tape
from agnoboost.core.learners import Stump
from agnoboost.core.rules import AdaStep, EdgeStep, FixedStep, LargerStep, ProjectedStep, Vote, inverse_gamma
from agnoboost.core.tape import Add, AddWithin, Shrink

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
    for rule in (AdaStep, Vote, ProjectedStep, LargerStep):
        with pytest.raises(ValueError, match="must be"):
            rule(bad)
    with pytest.raises(ValueError, match="threshold must be in"):
        FixedStep(threshold=-0.1)


def test_edge_step_divides_by_the_scale_of_the_batch_and_goes_no_further_than_its_rate():
    tape = Tape(EdgeStep().unit(True))
    for scale, share in ((1.0, 0.75), (0.9, 0.75 / 0.9), (0.5, 1.0)):
        step = EdgeStep(rate=0.4, scale=scale)(BATCH, tape, GOOD).step
        assert step.coef * tape.unit == pytest.approx(0.4 * share)


def test_larger_step_compares_the_hypothesis_with_minus_sign_of_h():
    rule = LargerStep(rate=0.5)
    zero = Tape(rule.unit(binary=True))  # sign(0) = +1, so -sign(H) has the edge -1/4
    assert rule(BATCH, zero, GOOD).step == Add(GOOD, zero.units(0.5 * 0.75))
    weak = Stump(0, 1.5, 1)  # edge 1/4, and there is something better
    wrong = zero.append(Add(Stump(0, 0.0, -1), 10))
    decision = rule(BATCH, wrong, weak)
    assert (decision.step, decision.branch, decision.edge) == (Shrink(zero.units(0.5 * 0.75)), "B", 0.25)
    assert rule(BATCH, wrong, GOOD).branch == "A"  # equally good: the hypothesis wins
    right = zero.append(Add(GOOD, 10))
    assert rule(BATCH, right, Stump(0, 0.0, -1)).step == Add(Stump(0, 0.0, -1), 0)  # nothing helps: no step


def test_projected_steps_have_no_threshold_unless_asked_for():
    assert ProjectedStep(0.2) == ProjectedStep(0.2, threshold=0.0)
    assert ProjectedStep(0.2)(BATCH, Tape(2.0**-32), Stump(0, 1.5, 1)).branch == "A"
    for bad in (-0.1, 1.0):
        with pytest.raises(ValueError, match="threshold"):
            ProjectedStep(0.2, bad)


def test_projected_step_stays_within_one():
    rule = ProjectedStep(step=0.3, threshold=0.7)
    tape = Tape(rule.unit(binary=True))
    one, step = tape.units(1.0), tape.units(0.3)
    assert one * tape.unit == 1.0
    assert rule(BATCH, tape, GOOD).step == AddWithin(GOOD, step, one)
    for _ in range(5):
        tape = tape.append(rule(BATCH, tape, GOOD).step)
    assert tape.margin(X).tolist() == [-1.0, 1.0, 1.0, 1.0]
    assert list(tape.staged(X))[-1].tolist() == tape.margin(X).tolist()
    back = rule(BATCH, tape, Stump(0, 0.0, -1))
    assert (back.step, back.branch) == (Shrink(step), "B")
    assert tape.append(back.step).margin(X) == pytest.approx([-0.7, 0.7, 0.7, 0.7])


def test_votes_count_the_same_and_adaboost_steps_grow_with_the_edge():
    tape = Tape(Vote(0.25).unit(True))
    for hypothesis in (GOOD, Stump(0, 0.0, -1)):
        assert Vote(0.25)(BATCH, tape, hypothesis).step == Add(hypothesis, 1)
    rule = AdaStep()
    fine = Tape(rule.unit(True))
    size = rule(BATCH, fine, GOOD).step.coef * fine.unit
    assert size == pytest.approx(0.5 * np.log((1 + 0.75) / (1 - 0.75)))
    assert rule(BATCH, fine, Stump(0, 0.0, -1)).step.coef == 0
    perfect = Batch(X, np.array([-1.0, 1.0, 1.0, 1.0]), np.full(4, 0.25))
    assert rule(perfect, fine, GOOD).step.coef * fine.unit == pytest.approx(rule.max_step)
