from dataclasses import FrozenInstanceError
from math import ceil, log, sqrt

import pytest

from agnoboost import compare, plan
from agnoboost.planner import RLPlan
from agnoboost.planner.bounds import FiniteClass, VCClass, hoeffding

ASK = {"epsilon": 0.2, "delta": 0.1, "gamma": 0.25, "log_size": log(1000)}


def test_theorem_1_has_the_proofs_settings():
    p = plan("theorem1", **ASK)
    eps = 0.2 * 5 / 18
    assert p.proof_epsilon == pytest.approx(eps)
    assert p.eta == pytest.approx(0.25**2 * eps)
    assert p.tau == pytest.approx(0.25 * eps)
    assert pytest.approx(2 / (0.25 * eps) ** 2, abs=1) == p.T
    assert FiniteClass(log(1000)).error(p.S, 0.1 / 5) <= 0.25 * eps / 10
    assert p.guarantee == pytest.approx(0.2)
    assert (p.total_labeled, p.total_unlabeled, p.oracle_calls) == (p.S + p.S0, p.T * p.U, p.T)
    assert p.sigma is None


def test_every_field_of_theorem_1_and_shift_by_its_formula():
    base, failure, gamma = FiniteClass(log(1000)), 0.1 / 5, 0.25
    for C, accuracy, p in ((1.0, 10, plan("theorem1", **ASK)), (3.0, 20, plan("shift", shift=3.0, **ASK))):
        eps = p.proof_epsilon
        assert pytest.approx(2 * C / (gamma * eps) ** 2, abs=1) == p.T
        assert p.eta == pytest.approx(gamma**2 * eps / C)
        assert p.tau == pytest.approx(2 * gamma * eps / (1 + C))
        assert base.samples(gamma * eps / accuracy, failure) == p.S
        assert base.samples(gamma * eps / (accuracy * C), failure / p.T) == p.U
        assert p.m == base.samples(gamma * eps / (accuracy * C), failure / p.T)
        assert hoeffding(eps / 10, failure, means=p.T + 1) == p.S0
        assert p.tolerance is None
    sloppy = plan("theorem1", epsilon0=0.01, **ASK)
    assert sloppy.m - plan("theorem1", **ASK).m == base.samples(0.005, failure / sloppy.T)


@pytest.mark.parametrize("theorem", ["theorem2", "theorem3"])
def test_every_field_of_the_reuse_plans_by_its_formula(theorem):
    C, gamma, epsilon, failure, base = 2.0, 0.25, 0.2, 0.1 / 5, FiniteClass(log(1000))
    p = plan(theorem, constant=C, epsilon0=0.001, **ASK)
    terms = log(1000) + log(p.T / failure)
    if theorem == "theorem2":
        noise = C * p.eta / gamma * (sqrt(terms / (p.sigma * p.U)) + terms)
    else:
        noise = C * (p.sigma + p.eta / gamma) * (sqrt(terms / (p.sigma * p.U)) + terms**1.5 / sqrt(p.U))
    generalisation = base.error(p.S, failure) + noise + 2 * p.tolerance
    edge, selection = 0.06 / 6 * gamma * epsilon, 0.08 / 2 * epsilon
    assert p.tau == pytest.approx(gamma / 3 * (4 / (p.eta * p.T) + p.eta / gamma**2 + generalisation / gamma) + edge)
    assert p.guarantee == pytest.approx(
        8 / (p.eta * p.T)
        + 2 * p.eta / gamma**2
        + 2 * generalisation / gamma
        + 6 * edge / gamma
        + 2 * selection
        + 3 * 0.001 / gamma
    )
    assert base.samples(0.13 / 2 * gamma * epsilon, failure) == p.S
    assert hoeffding(selection, failure, means=p.T + 1) == p.S0
    assert p.m == base.samples(edge, failure / p.T) + base.samples(0.0005, failure / p.T)
    assert p.settings()["tolerance"] == p.tolerance == pytest.approx(0.02 / 4 * gamma * epsilon)
    assert 2 * noise / gamma <= (0.13 + 0.24 if theorem == "theorem2" else 0.17) * epsilon * (1 + 1e-9)


def test_every_field_of_the_rl_plan_by_its_formula():
    ask = {"epsilon": 0.1, "delta": 0.1, "gamma": 0.5, "log_size": 4.0, "beta": 0.5, "mismatch": 2.0}
    for access, power in (("episodic", 2), ("nu-reset", 3)):
        p = plan("rl", access=access, **ask)
        assert p.inner.epsilon == pytest.approx(0.1 / (2.0**power * 2.0))
        assert p.inner.delta == pytest.approx(0.1 / (2 * p.outer_rounds))
        assert p.outer_rounds == {"episodic": 4 * 8 / 0.1, "nu-reset": 4 * 64 / 0.01}[access]
        assert p.rollouts == hoeffding(0.1 / 4, 0.05, means=p.outer_rounds + 1, width=2.0)
        rewards = p.outer_rounds * p.inner.total_labeled + (p.outer_rounds + 1) * p.rollouts
        assert p.annotated_episodes == rewards
        assert p.reward_free_episodes == p.outer_rounds * p.inner.T * p.inner.U
        assert p.oracle_calls == p.outer_rounds * p.inner.T
        factor = {"episodic": 4, "nu-reset": 8}[access]
        assert p.guarantee.startswith(f"V* - V <= {factor} * E")
    with pytest.raises(ValueError, match=r"weak learner's error inside epsilon. Got epsilon0=0.2"):
        plan("rl", epsilon0=0.2, **ask)


def test_the_baselines_costs_by_their_formulas():
    base, failure, eps, gamma = FiniteClass(log(1000)), 0.1 / 5, 0.2 * 5 / 18, 0.25
    costs = {c.algorithm: c for c in compare(**ASK).costs}
    pab = costs["PAB (2009)"]
    assert pab.oracle_calls == pytest.approx(4 / (gamma * eps) ** 2, abs=1)
    rows = base.samples(gamma * eps / 10, failure / pab.oracle_calls)
    assert pab.labeled == pab.oracle_calls * rows + hoeffding(eps / 10, failure, means=pab.oracle_calls + 1)
    twin = plan("theorem2", **ASK)
    assert costs["GS24 (2024)"].labeled == twin.T * twin.U + twin.S0
    with pytest.raises(ValueError, match="theorems on classification"):
        compare("rl", **ASK)


def test_the_shift_plan_reduces_to_theorem_1_and_costs_no_more_labels():
    one, four = plan("shift", shift=1.0, **ASK), plan("shift", shift=4.0, **ASK)
    base = plan("theorem1", **ASK)
    assert (one.eta, one.tau, one.T) == (base.eta, base.tau, base.T)
    assert four.eta == pytest.approx(base.eta / 4)
    assert four.tau == pytest.approx(2 / 5 * base.tau)
    assert pytest.approx(4 * base.T, rel=1e-4) == four.T
    assert four.S == one.S
    assert four.U > 15 * one.U
    # S0 = O(1/eps^2), not the O(1/(gamma eps)^2) of the proof: gamma enters by the logarithm of T alone.
    assert plan("shift", shift=4.0, **{**ASK, "gamma": 0.025}).S0 < 1.5 * four.S0
    assert plan("shift", shift=4.0, epsilon0=0.01, **ASK).guarantee == pytest.approx(0.2 + 5 * 0.01 / 0.25)


@pytest.mark.parametrize("theorem", ["theorem2", "theorem3"])
@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.05])
@pytest.mark.parametrize("gamma", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("constant", [0.5, 1.0, 3.0])
def test_reuse_plans_meet_the_proofs_bound(theorem, epsilon, gamma, constant):
    p = plan(theorem, epsilon=epsilon, delta=0.05, gamma=gamma, log_size=6.0, constant=constant)
    assert 0.5 * epsilon < p.guarantee <= epsilon * (1 + 1e-9)
    assert p.sigma == pytest.approx(p.eta / p.gamma)
    assert 0 < p.sigma <= 1
    assert 0 < p.tau < 1


def test_rates():
    """Labels as 1/eps^2; unlabeled rows as 1/eps^4 (Theorem 1), 1/eps^3 (2); up to logarithms."""

    def slope(quantity, theorem, key="epsilon", high=1e-2, low=1e-3, **changes):
        first, second = (plan(theorem, **{**ASK, **changes, key: value}) for value in (high, low))
        return log(quantity(second) / quantity(first)) / log(high / low)

    def labels(p):
        return p.total_labeled

    def rows(p):
        return p.total_unlabeled

    assert slope(labels, "theorem1") == pytest.approx(2, abs=0.15)
    assert slope(rows, "theorem1") == pytest.approx(4, abs=0.15)
    assert slope(labels, "theorem2") == pytest.approx(2, abs=0.15)
    assert slope(rows, "theorem2") == pytest.approx(3, abs=0.2)
    assert slope(lambda p: p.U, "theorem2") == pytest.approx(1, abs=0.15)
    assert slope(lambda p: p.T, "theorem3") == pytest.approx(2, abs=0.01)
    assert slope(lambda p: p.T, "theorem2") > 2.03  # the logarithm
    assert slope(rows, "theorem2", key="gamma", high=0.1, low=0.01) == pytest.approx(3, abs=0.3)


def test_the_rates_of_theorem_3_by_their_two_terms():
    """TU = log B/(gamma eps)^3 + (log B)^3/(gamma eps)^2: gamma^2 in the second, as in Section 4, not gamma^3.

    T = O(1/(gamma eps)^2), sigma = eta/gamma = O(gamma eps), and U must bring sigma sqrt(log B/(sigma U)) and
    sigma (log B)^(3/2)/sqrt(U) below O(gamma eps): U = O(log B/(gamma eps)) and O((log B)^3).
    """

    def total(gamma, log_size, epsilon=0.01):
        p = plan("theorem3", epsilon=epsilon, delta=0.1, gamma=gamma, log_size=log_size)
        return p.T * p.U

    few, many = 1e-4, 1e-5  # gammas: where the first term leads, log B is small against 1/(gamma eps)
    assert log(total(many, 1.0) / total(few, 1.0), 10) == pytest.approx(3, abs=0.2)
    # Where the second leads, log B is large, and so large that the logarithm of T beside it does not show.
    assert log(total(1 / 256, 1e5) / total(1 / 128, 1e5), 2) == pytest.approx(2, abs=0.01)
    assert log(total(1 / 256, 1e5, 0.005) / total(1 / 256, 1e5, 0.01), 2) == pytest.approx(2, abs=0.01)
    assert log(total(1 / 256, 2e5) / total(1 / 256, 1e5), 2) == pytest.approx(3, abs=0.01)
    # The bound that the proof quotes as "Lemma 15", which is Lemma 6's, could not give this: its second term,
    # log(|B| T/delta) eta/gamma, alone is more than the excess allows, and no number of rows lowers it.
    p = plan("theorem3", **ASK)
    assert 2 / p.gamma * p.sigma * (log(1000) + log(p.T / 0.02)) > p.epsilon


def test_label_cost_against_the_baselines():
    costs = {c.algorithm: c for c in compare(**ASK).costs}
    assert costs["algorithm1"].labeled < costs["GS24 (2024)"].labeled < costs["PAB (2009)"].labeled
    assert costs["PAB (2009)"].unlabeled == 0

    def growth(name):
        halved = {c.algorithm: c for c in compare(**{**ASK, "epsilon": 0.1}).costs}
        return log(halved[name].labeled / costs[name].labeled, 2)

    assert growth("algorithm1") == pytest.approx(2, abs=0.15)
    assert growth("GS24 (2024)") == pytest.approx(3, abs=0.3)
    assert growth("PAB (2009)") == pytest.approx(4, abs=0.2)
    table = str(compare("theorem2", **ASK))
    assert "PAB (2009)" in table
    assert "labels, ratio" in table
    by_vc = compare(epsilon=0.2, delta=0.1, gamma=0.25, vc=5)
    assert [c.algorithm for c in by_vc.costs] == ["algorithm1", "PAB (2009)"]


def test_reinforcement_learning_rates():
    def make(**changes):
        return plan("rl", **{"epsilon": 0.1, "delta": 0.1, "gamma": 0.5, "log_size": 4.0, "beta": 0.9, **changes})

    p = make()
    assert isinstance(p, RLPlan)
    assert p.inner.epsilon == pytest.approx(0.1 * 0.1**2)
    assert p.outer_rounds == pytest.approx(1 / (0.1**3 * 0.1), abs=1)
    reset = make(access="nu-reset")
    assert reset.inner.epsilon == pytest.approx(0.1 * 0.1**3)
    assert reset.outer_rounds == pytest.approx(1 / (0.1**6 * 0.1**2), rel=1e-9)
    fine = make(epsilon=0.01)
    assert log(fine.reward_free_episodes / p.reward_free_episodes, 10) == pytest.approx(4, abs=0.3)
    assert log(fine.annotated_episodes / p.annotated_episodes, 10) == pytest.approx(3, abs=0.3)
    wide = make(mismatch=10.0)
    assert log(wide.reward_free_episodes / p.reward_free_episodes, 10) == pytest.approx(5, abs=0.3)
    assert "episodes without rewards" in str(p)


def test_a_plan_is_frozen_and_names_its_constants():
    p = plan("theorem2", **ASK)
    with pytest.raises(FrozenInstanceError):
        p.T = 1
    assert {c.origin for c in p.constants} == {"proof", "ours"}
    assert "ASSUMED" in str(p)
    assert any("ASSUMED" in c.meaning for c in plan("theorem1", epsilon=0.2, delta=0.1, gamma=0.5, vc=3).constants)
    assert plan(1, **ASK) == plan("theorem1", **ASK)


def test_gamma_is_rounded_down_to_one_over_a_whole_number():
    assert plan("theorem1", epsilon=0.2, delta=0.1, gamma=2 / 7, vc=3).gamma == 0.25


def test_epsilon0_costs_draws_and_guarantee():
    exact, sloppy = plan("theorem1", **ASK), plan("theorem1", epsilon0=0.01, **ASK)
    assert sloppy.m > exact.m
    assert sloppy.guarantee == pytest.approx(0.2 + 2 * 0.01 / 0.25)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gamma": 0.0}, r"gamma must be in \(0, 1\]. Got 0.0"),
        ({"gamma": 1.1}, r"gamma must be in \(0, 1\]"),
        ({"epsilon": 0.0}, r"epsilon must be in \(0, 1\]"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\)"),
        ({"vc": 3}, "Exactly one of vc and log_size"),
        ({"log_size": None}, "Exactly one of vc and log_size"),
        ({"log_size": -1.0}, "log_size must be in"),
        ({"theorem": "theorem9"}, "theorem must be one of theorem1, theorem2, theorem3, shift, half, rl"),
        ({"shift": 2.0}, "shift is for theorem='shift' only"),
        ({"theorem": "shift", "shift": 0.5}, "shift must be in"),
        ({"theorem": "theorem2", "log_size": None, "vc": 3}, "stated for finite base classes"),
        ({"theorem": "rl"}, "needs the discount factor beta"),
        ({"theorem": "rl", "beta": 1.0}, r"beta must be in \[0, 1\)"),
        ({"theorem": "rl", "beta": 0.9, "access": "oracle"}, "access must be"),
        ({"beta": 0.5}, "beta is for theorem='rl' only"),
        ({"mismatch": 5.0}, "mismatch is for theorem='rl' only"),
        ({"access": "episodic"}, "access is for theorem='rl' only"),
        ({"n": 4}, "n is for theorem='half' only"),
        ({"degree": 2}, "degree is for theorem='half' only"),
        ({"gamma": None}, "theorem1 needs gamma"),
        ({"gamma": 1e-20}, "gamma must be at least 1e-9"),
        ({"constant": 0.0}, "constant must be in"),
        ({"epsilon0": -0.1}, "epsilon0 must be in"),
    ],
)
def test_bad_requests_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        plan(**{"theorem": "theorem1", **ASK, **changes})


def test_sample_sizes_are_the_smallest_that_reach_the_accuracy():
    for base in (FiniteClass(3.0), VCClass(4.0, 1.5)):
        n = base.samples(0.05, 0.01)
        assert base.error(n, 0.01) <= 0.05 < base.error(n - 1, 0.01)
    assert hoeffding(0.1, 0.05) == 738  # 2 log(40)/0.01, values in [-1, 1]


def test_sample_sizes_by_vc_dimension():
    """C^2 (VC + log(1/failure))/accuracy^2, with a fifth of delta for the labeled sample."""
    p = plan("theorem1", epsilon=0.2, delta=0.1, gamma=0.5, vc=7, constant=1.5)
    accuracy = 0.5 * (5 / 18 * 0.2) / 10
    assert ceil(1.5**2 * (7 + log(50)) / accuracy**2) == p.S


def test_the_constants_that_plans_print_are_those_that_they_use():
    p = plan("rl", epsilon=0.5, delta=0.1, gamma=0.5, log_size=log(8), beta=0.5)
    said = {constant.name: constant.value for constant in p.constants}
    accuracy = p.epsilon / said["epsilon / accuracy of selection"]
    assert p.rollouts == hoeffding(accuracy, p.delta / said["delta"], means=p.outer_rounds + 1, width=2.0)
    one = plan("theorem1", epsilon=0.5, delta=0.1, gamma=0.5, log_size=log(8))
    said = {constant.name: constant.value for constant in one.constants}
    accuracy = one.gamma * one.proof_epsilon / said["gamma eps / accuracy"]
    terms = log(2 * 9 / (one.delta / said["events"]))
    assert pytest.approx(said["uniform convergence"] ** 2 * terms / accuracy**2, abs=1) == one.S
