"""The objective against the core's potentials, numerical derivatives, and the backends themselves."""

import pickle

import numpy as np
import pytest

from agnoboost.core.potentials import POTENTIALS
from agnoboost.core.samplers import Fresh, WithLabels
from agnoboost.core.sources import Pool
from agnoboost.integrations import LabeledMetric, UnlabeledObjective
from agnoboost.integrations.objective import signed
from agnoboost.testing import check_sampler

SEPARABLE = ["huber", "pseudo_huber"]


def problem(seed=0, rows=60, labeled=20):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(rows) < labeled, rng.choice([-1.0, 1.0], rows), 0.0)
    return rng.normal(size=rows) * 1.5, y, rng.uniform(0.5, 2.0, rows)


def potential_of(name, margin, y, weight, w, shift):
    """S times w C E_Q[psi(H)] + (1 - w) E_D[psi(H)] - E_D[y H], by its definition."""
    psi, known = POTENTIALS[name], y != 0
    zero = np.zeros_like(y)
    labeled, unlabeled = weight[known].sum(), weight[~known].sum()
    on_d = (weight * psi.value(margin, zero))[known].sum() / labeled
    on_q = (weight * psi.value(margin, zero))[~known].sum() / unlabeled
    label = (weight * y * margin)[known].sum() / labeled
    return labeled * (w * shift * on_q + (1 - w) * on_d - label)


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize(("w", "shift"), [(0.0, 1.0), (0.4, 1.0), (1.0, 1.0), (1.0, 3.0), (0.3, 2.0)])
def test_gradients_are_the_derivatives_of_the_potential(name, w, shift):
    margin, y, weight = problem()
    gradient, _ = UnlabeledObjective(name, w, shift).gradients(margin, y, weight)
    for row in range(len(y)):
        step = np.zeros_like(margin)
        step[row] = 1e-6
        values = [potential_of(name, margin + sign * step, y, weight, w, shift) for sign in (1, -1)]
        assert gradient[row] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-5)


@pytest.mark.parametrize("name", SEPARABLE)
def test_gradients_are_the_cores_own(name):
    """Labeled-only: the potential's grad to the bit. The paper's weight: -y and psi'."""
    margin, y, _ = problem()
    known, zero = y != 0, np.zeros(len(y))
    own, _ = UnlabeledObjective(name, 0.0).gradients(margin, y)
    np.testing.assert_array_equal(own[known], POTENTIALS[name].grad(margin, y)[known])
    np.testing.assert_array_equal(own[~known], 0.0)
    paper, _ = UnlabeledObjective(name, 1.0).gradients(margin, y)
    np.testing.assert_array_equal(paper[known], -y[known])
    np.testing.assert_array_equal(paper[~known], (0.5 * POTENTIALS[name].grad(margin, zero))[~known])


def test_it_is_the_direction_of_the_cores_sampler():
    """sum of gradient * h is proportional to the correlation that Algorithm 1's batches have with h."""
    from agnoboost.core.learners.parity import Parity
    from agnoboost.core.potentials import Huber
    from agnoboost.core.tape import Add, Tape

    rng = np.random.default_rng(0)
    labeled, unlabeled = rng.choice([-1.0, 1.0], (30, 3)), rng.choice([-1.0, 1.0], (50, 3))
    y = rng.choice([-1.0, 1.0], 30)
    sampler = WithLabels(Pool(labeled, y), Fresh(Pool(unlabeled), Huber(), None), shift=2.0, unlabeled_weight=0.7)
    tape = Tape.of(0.3, [Add(Parity((0,), 1), 1), Add(Parity((1, 2), -1), 2)])
    X, labels = np.concatenate([labeled, unlabeled]), np.concatenate([y, np.zeros(50)])

    def slope(prefix, h):
        gradient, _ = UnlabeledObjective("huber", 0.7, 2.0).gradients(prefix.margin(X), labels)
        return float(gradient @ h.predict(X)) / 30

    check_sampler(sampler, tape, slope, [Parity((0,), 1), Parity((2,), 1), Parity((0, 1), -1), Parity((), 1)])


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("w", [0.0, 0.5, 1.0])
def test_the_quadratic_lies_above_the_potential(name, w):
    """So a Newton step over any set of rows cannot raise it."""
    margin, y, weight = problem()
    rng = np.random.default_rng(1)
    gradient, hessian = UnlabeledObjective(name, w).gradients(margin, y, weight)
    assert (hessian[y != 0] > 0).all()
    start = potential_of(name, margin, y, weight, w, 1.0)
    for _ in range(200):
        leaf = rng.random(len(y)) < rng.uniform(0.05, 1.0)
        moved = margin + leaf * rng.normal() * 2
        step = moved - margin
        bound = start + gradient @ step + 0.5 * hessian @ step**2
        assert potential_of(name, moved, y, weight, w, 1.0) <= bound + 1e-9
        newton = -gradient[leaf].sum() / max(hessian[leaf].sum(), 1e-300) * leaf
        assert potential_of(name, margin + newton, y, weight, w, 1.0) <= start + 1e-9


def test_labels_of_backends():
    assert signed(np.array([1.0, 0.0, -1.0])).tolist() == [1.0, -1.0, 0.0]
    with pytest.raises(ValueError, match=r"Number the classes first"):
        signed(np.array([2.0, 0.0]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"potential": "madaboost"}, r"potential must be one of \['huber', 'pseudo_huber'\]"),
        ({"potential": "logistic"}, r"potential must be one of"),
        ({"unlabeled_weight": 1.5}, r"unlabeled_weight"),
        ({"shift": 0.5}, r"shift"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        UnlabeledObjective(**settings)


class Data:
    """What both backends hand over."""

    def __init__(self, labels, weight=None):
        self.labels, self.weight = np.asarray(labels, dtype=float), weight

    def get_label(self):
        return self.labels

    def get_weight(self):
        return self.weight


def test_it_can_be_called_by_backends_and_by_their_estimators():
    margin, y, weight = problem()
    labels = np.where(y == 0, -1.0, (y + 1) / 2)
    objective = UnlabeledObjective(unlabeled_weight=0.5)
    expected = objective.gradients(margin, y, weight)
    data = Data(labels, weight)
    for found in (objective(margin, data), objective(margin, data), objective(labels, margin, weight)):
        np.testing.assert_array_equal(found, expected)
    data.labels = np.where(labels >= 0, 1.0 - labels, labels)  # other labels in the same data
    np.testing.assert_array_equal(objective(margin, data), objective.gradients(margin, -y, weight))
    data.weight = 2 * weight
    np.testing.assert_allclose(objective(margin, data)[1], objective.gradients(margin, -y, 2 * weight)[1])
    np.testing.assert_array_equal(objective(margin, Data(labels, np.array([]))), objective.gradients(margin, y))


@pytest.mark.parametrize("labels", [[1, 1, -1], [-1, -1], [1, -1, 1]])
def test_one_class_is_refused(labels):
    with pytest.raises(ValueError, match=r"If your classes are 1 and -1"):
        UnlabeledObjective()(np.zeros(len(labels)), Data(labels))


def test_totals_make_parts_add_up():
    margin, y, weight = problem()
    known = y != 0
    totals = weight[known].sum(), weight[~known].sum()
    whole = UnlabeledObjective().gradients(margin, y, weight)
    for part in (slice(0, 25), slice(25, None)):
        labels = np.where(y == 0, -1.0, (y + 1) / 2)[part]
        objective = pickle.loads(pickle.dumps(UnlabeledObjective(totals=totals)))
        found = objective(labels, margin[part], weight[part])
        np.testing.assert_allclose(found, [each[part] for each in whole])


def test_metrics_look_at_labeled_rows_only():
    margin, y, weight = problem()
    known = y != 0
    right = np.where(margin >= 0, 1, -1)[known] == y[known]
    assert LabeledMetric("accuracy").value(margin, y) == pytest.approx(right.mean())
    assert LabeledMetric("accuracy").value(margin, y, weight) == pytest.approx(np.average(right, weights=weight[known]))
    clipped = y[known] * np.clip(margin[known], -1, 1)
    assert LabeledMetric("correlation").value(margin, y) == pytest.approx(clipped.mean())
    expected = POTENTIALS["huber"].value(margin[known], y[known]).mean()
    labels = np.where(y == 0, -1.0, (y + 1) / 2)
    assert LabeledMetric().xgboost(margin, Data(labels)) == ("labeled_potential", pytest.approx(expected))
    assert LabeledMetric().lightgbm(margin, Data(labels)) == ("labeled_potential", pytest.approx(expected), False)
    assert LabeledMetric("accuracy").lightgbm(margin, Data(labels))[2] is True
    with pytest.raises(ValueError, match=r"name must be one of"):
        LabeledMetric("auc")


def table(seed=0, rows=800, labeled=150):
    """Few different values, so that bins do not depend on which rows are seen."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (rows, 5)).astype(float)
    truth = ((X[:, 0] > 5) ^ (X[:, 1] > 8)).astype(float)
    noisy = np.where(rng.random(rows) < 0.1, 1 - truth, truth)
    return X, np.where(np.arange(rows) < labeled, noisy, -1.0), truth


def huber(margin, data):
    """Labeled-only Huber boosting, written by hand."""
    y = 2 * data.get_label() - 1
    return np.clip(margin, -1, 1) - y, np.ones(len(y))


def test_weight_zero_is_the_backends_own_huber_boosting_to_the_bit_in_xgboost():
    xgboost = pytest.importorskip("xgboost")
    X, y, _ = table()
    known = y >= 0
    settings = {"base_score": 0.0, "max_depth": 4, "eta": 0.2, "nthread": 1, "min_child_weight": 3}
    plain = xgboost.train(settings, xgboost.DMatrix(X[known], y[known]), 25, obj=huber)
    ours = xgboost.train(settings, xgboost.DMatrix(X, y), 25, obj=UnlabeledObjective(unlabeled_weight=0.0))
    assert plain.get_dump() == ours.get_dump()


def test_weight_zero_is_the_backends_own_huber_boosting_to_the_bit_in_lightgbm():
    """With its counts of rows switched off: unlabeled rows have no gradient, but they are rows."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y, _ = table()
    known = y >= 0
    settings = {"max_depth": 3, "learning_rate": 0.2, "num_threads": 1, "verbosity": -1, "deterministic": True}
    counts = {"min_data_in_leaf": 1, "min_data_in_bin": 1, "min_sum_hessian_in_leaf": 5.0}
    plain = lightgbm.train({**settings, **counts, "objective": huber}, lightgbm.Dataset(X[known], y[known]), 25)
    objective = UnlabeledObjective(unlabeled_weight=0.0)
    ours = lightgbm.train({**settings, **counts, "objective": objective}, lightgbm.Dataset(X, y), 25)
    np.testing.assert_array_equal(plain.predict(X), ours.predict(X))


def test_without_unlabeled_rows_there_is_nothing_to_weigh():
    margin, y, _ = problem(labeled=60)
    for w in (0.5, 1.0):
        np.testing.assert_array_equal(
            UnlabeledObjective(unlabeled_weight=w).gradients(margin, y),
            UnlabeledObjective(unlabeled_weight=0.0).gradients(margin, y),
        )


def test_xgboosts_own_estimators_take_it_with_weights():
    xgboost = pytest.importorskip("xgboost")
    X, y, truth = table()
    model = xgboost.XGBRegressor(n_estimators=20, base_score=0.0, objective=UnlabeledObjective(unlabeled_weight=0.5))
    model.fit(X, y, sample_weight=np.ones(len(y)))
    assert np.mean((model.predict(X) > 0) == truth) > 0.8


@pytest.mark.parametrize("w", [0.5, 1.0])
def test_three_lines_in_a_script_for_xgboost(w):
    xgboost = pytest.importorskip("xgboost")
    X, y, truth = table()
    train = xgboost.DMatrix(X, y)
    held_out = xgboost.DMatrix(X[400:], truth[400:])
    curve = {}
    model = xgboost.train(
        {"base_score": 0.0, "disable_default_eval_metric": 1, "max_depth": 3},
        train,
        200,
        obj=UnlabeledObjective(unlabeled_weight=w),
        evals=[(held_out, "held_out")],
        custom_metric=LabeledMetric().xgboost,
        early_stopping_rounds=10,
        evals_result=curve,
        verbose_eval=False,
    )
    assert np.mean((model.predict(held_out) > 0) == truth[400:]) > 0.85
    assert 10 < len(curve["held_out"]["labeled_potential"]) < 200


@pytest.mark.parametrize("w", [0.5, 1.0])
def test_three_lines_in_a_script_for_lightgbm(w):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, truth = table()
    train = lightgbm.Dataset(X, y)
    held_out = lightgbm.Dataset(X[400:], truth[400:], reference=train)
    model = lightgbm.train(
        {"objective": UnlabeledObjective(unlabeled_weight=w), "metric": "none", "max_depth": 3, "verbosity": -1},
        train,
        200,
        valid_sets=[held_out],
        feval=LabeledMetric("accuracy").lightgbm,
        callbacks=[lightgbm.early_stopping(20, verbose=False)],
    )
    assert np.mean((model.predict(X[400:]) > 0) == truth[400:]) > 0.85
    assert model.best_iteration < 200
