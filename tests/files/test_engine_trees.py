"""Trees of XGBoost and LightGBM in our own form: they predict as the engines do, and nothing crashes an engine."""

import json

import numpy as np
import pytest

from agnoboost.basics.fact_schema import SchemaError
from agnoboost.core.learners.walk import Walk
from agnoboost.files.engine_trees import ENGINE_TREES, EngineTree, EngineTrees
from agnoboost.files.lightgbm_trees import lightgbm_model, trees_of_lightgbm
from agnoboost.files.ubjson import from_ubjson
from agnoboost.files.xgboost_trees import trees_of_xgboost, xgboost_model

COLUMNS, CATEGORICAL, SIX = 5, {2, 4}, 6


def rows(count, seed):
    """Numbers on a coarse grid, so that many equal thresholds, two columns of categories, and gaps."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(count, COLUMNS)), 1)
    X[:, 2], X[:, 4] = rng.integers(0, SIX, count), rng.integers(0, 200, count)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 1] = np.nan_to_num(X[:, 1])  # nothing is missing here in training
    y = np.nan_to_num(X[:, 0]) + (X[:, 2] > 2) - (X[:, 4] % 7 > 3) + X[:, 1] + 0.5 * rng.normal(size=count)
    return X, y


def gradient(margins, data):
    return margins - data.get_label(), np.ones(len(margins))


def xgboost_booster(**params):
    xgboost = pytest.importorskip("xgboost")
    X, y = rows(800, 0)
    types = ["c" if column in CATEGORICAL else "q" for column in range(COLUMNS)]
    matrix = xgboost.QuantileDMatrix(X, y, feature_types=types, enable_categorical=True)
    own = {"max_depth": 5, "base_score": 0.0, "tree_method": "hist", "nthread": 1, "max_cat_to_onehot": 8, "gamma": 0.5}
    return xgboost.train({**own, **params}, matrix, 25, obj=gradient)


def xgboost_margins(booster, X, **asked):
    xgboost = pytest.importorskip("xgboost")
    matrix = xgboost.DMatrix(X, feature_types=booster.feature_types, enable_categorical=True)
    return booster.predict(matrix, output_margin=not asked, **asked)


def lightgbm_booster(**params):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = rows(800, 0)
    data = lightgbm.Dataset(X, y, categorical_feature=sorted(CATEGORICAL), params={"verbosity": -1})
    own = {"objective": gradient, "num_leaves": 20, "min_data_in_leaf": 5, "num_threads": 1, "verbosity": -1}
    return lightgbm.train({**own, "min_data_per_group": 5, "cat_smooth": 1.0, **params}, data, 25)


def boundary_rows(trees, seed):
    """New rows, with values on the thresholds themselves and right beside them."""
    X, _ = rows(4000, seed)
    for tree in trees.each:
        walk = tree.walk
        for node in np.flatnonzero(walk.tests & (walk.group < 0)):
            t = walk.threshold[node]
            near = np.array([t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf), np.float32(t), np.nan, 0.0, -0.0])
            X[np.random.default_rng(node).integers(len(X), size=len(near)), walk.feature[node]] = near
    return X


def checked(trees):
    """To arrays and back, as files do."""
    arrays = trees.pack()
    ENGINE_TREES.check(arrays, "", {"columns": COLUMNS})
    return EngineTrees.unpack(arrays, trees.single, trees.per_round)


@pytest.mark.parametrize("params", [{}, {"num_parallel_tree": 3, "subsample": 0.5}, {"grow_policy": "lossguide"}])
def test_xgboost_to_the_last_bit(params):
    booster = xgboost_booster(**params)
    trees = checked(trees_of_xgboost(bytes(booster.save_raw("ubj"))))
    assert any((tree.walk.group >= 0).any() for tree in trees.each)
    X = boundary_rows(trees, 1)
    np.testing.assert_array_equal(trees.margin(X), xgboost_margins(booster, X))
    np.testing.assert_array_equal(trees.margin(X, 7), xgboost_margins(booster, X, iteration_range=(0, 7)))
    assert trees.rounds == booster.num_boosted_rounds()
    gains = booster.get_score(importance_type="total_gain")
    np.testing.assert_allclose(trees.gains(COLUMNS), [gains.get(f"f{c}", 0.0) for c in range(COLUMNS)], rtol=1e-5)


def test_lightgbm_to_the_last_bit():
    booster = lightgbm_booster()
    trees = checked(trees_of_lightgbm(booster.model_to_string()))
    assert any((tree.walk.group >= 0).any() for tree in trees.each)
    X = boundary_rows(trees, 1)
    np.testing.assert_array_equal(trees.margin(X), booster.predict(X, raw_score=True))
    np.testing.assert_array_equal(trees.margin(X, 7), booster.predict(X, raw_score=True, num_iteration=7))
    np.testing.assert_allclose(trees.gains(COLUMNS), booster.feature_importance("gain"), rtol=1e-5)


def test_xgboost_models_are_made_again():
    xgboost = pytest.importorskip("xgboost")
    booster = xgboost_booster()
    trees = checked(trees_of_xgboost(bytes(booster.save_raw("ubj"))))
    again = xgboost.Booster(model_file=bytearray(xgboost_model(trees, COLUMNS, CATEGORICAL)))
    X = boundary_rows(trees, 1)
    np.testing.assert_array_equal(xgboost_margins(again, X), xgboost_margins(booster, X))
    contributions = [xgboost_margins(one, X[:200], pred_contribs=True) for one in (again, booster)]
    np.testing.assert_allclose(*contributions, atol=1e-5)
    assert again.num_boosted_rounds() == 25


def test_lightgbm_models_are_made_again():
    lightgbm = pytest.importorskip("lightgbm")
    booster = lightgbm_booster()
    trees = checked(trees_of_lightgbm(booster.model_to_string()))
    again = lightgbm.Booster(model_str=lightgbm_model(trees, COLUMNS))
    X = boundary_rows(trees, 1)
    np.testing.assert_array_equal(again.predict(X), booster.predict(X))
    np.testing.assert_allclose(again.predict(X[:200], pred_contrib=True), booster.predict(X[:200], pred_contrib=True))


def in_another_order(trees):
    """As a file could have them: depth first."""
    found = []
    for tree in trees.each:
        walk, waiting = tree.walk, [len(tree.walk.feature) - 1]
        order = []
        while waiting:
            order.insert(0, waiting.pop())
            waiting += walk.child[order[0]].tolist() if walk.tests[order[0]] else []
        child = np.argsort(order)[walk.child][order]
        columns = [
            walk.feature,
            walk.threshold,
            walk.missing,
            walk.value,
            walk.group,
            tree.gain,
            tree.cover,
            tree.count,
        ]
        feature, threshold, missing, value, group, *known = (column[order] for column in columns)
        found.append(EngineTree(Walk(feature, threshold, missing, child, value, group, walk.sets), *known))
    return checked(EngineTrees(found, trees.single, trees.per_round))


def test_engines_get_their_own_order_whatever_that_of_the_file():
    """XGBoost's Shapley values crash on trees whose siblings are not beside each other."""
    xgboost = pytest.importorskip("xgboost")
    booster = xgboost_booster()
    trees = in_another_order(trees_of_xgboost(bytes(booster.save_raw("ubj"))))
    X = boundary_rows(trees, 1)[:200]
    np.testing.assert_array_equal(trees.margin(X), xgboost_margins(booster, X))
    again = xgboost.Booster(model_file=bytearray(xgboost_model(trees, COLUMNS, CATEGORICAL)))
    contributions = [xgboost_margins(one, X, pred_contribs=True) for one in (again, booster)]
    np.testing.assert_allclose(*contributions, atol=1e-5)


def test_compiled_and_plain_sums_are_the_same(monkeypatch):
    trees = trees_of_lightgbm(lightgbm_booster().model_to_string())
    X = boundary_rows(trees, 1)
    plain = trees.margin(X)
    monkeypatch.setattr("agnoboost.files.engine_trees.pays", lambda seconds: True)
    np.testing.assert_array_equal(trees.margin(X), plain)


def test_models_that_are_no_sums_of_trees_are_refused():
    for params, word in (({"zero_as_missing": True}, "zero"), ({"linear_tree": True}, "linear")):
        with pytest.raises(SchemaError, match=word):
            trees_of_lightgbm(lightgbm_booster(**params).model_to_string())
    with pytest.raises(SchemaError, match="rf"):
        trees_of_lightgbm(lightgbm_booster().model_to_string().replace("label_index=0", "average_output"))
    with pytest.raises(SchemaError, match="gbtree"):
        trees_of_xgboost(bytes(xgboost_booster(booster="dart").save_raw("ubj")))


def test_binary_json_is_that_of_json():
    booster = xgboost_booster()
    found = from_ubjson(bytes(booster.save_raw("ubj")))
    plain = json.loads(bytes(booster.save_raw("json")))
    one, other = (each["learner"]["gradient_booster"]["model"]["trees"][3] for each in (found, plain))
    assert one.keys() == other.keys()
    np.testing.assert_array_equal(one["left_children"], other["left_children"])
    np.testing.assert_allclose(one["split_conditions"], np.float32(other["split_conditions"]))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[" * 100,
        b"{i\x01a",
        b"[$d#L\x7f" + 7 * b"\xff",  # 2**62 floats
        b"[#L\x7f" + 7 * b"\xff" + b"Z",
        b"[$d#i\xff",
        b"[$Z#i\x05",
        b"[$di\x05",
        b"SL\x7f" + 7 * b"\xff",
        b"Si\x01\xff",
        b"Q",
        b"TT",
    ],
)
def test_what_is_no_binary_json_is_refused(content):
    with pytest.raises(ValueError):
        from_ubjson(content)
