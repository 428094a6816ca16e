"""Training on a local cluster with real worker processes."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import agnoboost
from agnoboost.integrations import LGBMAgnosticClassifier, UnlabeledObjective, XGBAgnosticClassifier
from agnoboost.integrations import dask as ours

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("xgboost")
pytest.importorskip("lightgbm")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("default")  # dask and the engines warn of each other

XGB, LGBM = (
    (ours.DaskXGBAgnosticClassifier, XGBAgnosticClassifier),
    (ours.DaskLGBMAgnosticClassifier, LGBMAgnosticClassifier),
)
BOTH = pytest.mark.parametrize(("spread", "local"), [XGB, LGBM])


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def table(rows=1200, labeled=300, seed=0):
    """Few different values: the bins are the same, however the rows are spread."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 20, (rows, 5)).astype(float)
    truth = ((X[:, 0] > 9) ^ (X[:, 1] > 14)).astype(float)
    y = np.where(rng.random(rows) < labeled / rows, truth, np.nan)
    return X, y, truth


def collections(X, y, parts=4):
    size = -(-len(X) // parts)
    return da.from_array(X, chunks=(size, X.shape[1])), da.from_array(y, chunks=size)


@BOTH
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_the_same_model_as_in_one_process(client, spread, local, weight):
    X, y, truth = table()
    settings = {"unlabeled_weight": weight, "validation_fraction": None, "random_state": 0}
    there = spread(30, client=client, **settings).fit(*collections(X, y))
    here = local(30, n_jobs=1, **settings).fit(X, y)
    dX, _ = collections(X, y)
    if spread is ours.DaskXGBAgnosticClassifier or weight == 0.0:
        np.testing.assert_allclose(there.decision_function(dX).compute(), here.decision_function(X), atol=2e-4)
    else:  # LightGBM takes the bins of a column from the rows of one worker
        assert np.mean(there.predict(dX).compute() == here.predict(X)) > 0.97
    assert (there.n_labeled_, there.n_unlabeled_) == (here.n_labeled_, here.n_unlabeled_)
    assert np.mean(there.predict(dX).compute() == truth) > 0.9
    proba = there.predict_proba(dX)
    assert proba.shape == (1200, 2)
    np.testing.assert_allclose(proba.compute().sum(axis=1), 1.0)


@BOTH
def test_safe_mode_chooses_in_this_process(client, spread, local):
    X, y, truth = table()
    model = spread(60, client=client, random_state=0).fit(*collections(X, y))
    assert "cross-validation" in model.choice_.reason
    assert set(model.choice_.losses) == {0.0, 0.5, 1.0}
    assert np.mean(model.predict(X) == truth) > 0.9


def test_frames_several_classes_and_files(client, tmp_path):
    X, y, truth = table()
    three = np.where(np.isnan(y), np.nan, y + (X[:, 2] > 12))
    names = list("abcde")
    frame = dd.from_pandas(pd.DataFrame(X, columns=names).assign(label=three), npartitions=3)
    model = ours.DaskXGBAgnosticClassifier(20, unlabeled_weight=0.5, validation_fraction=None, random_state=0)
    model.fit(frame[names], frame["label"])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(frame[names]).compute().shape == (1200, 3)
    right = truth + (X[:, 2] > 12)
    assert np.mean(model.predict(frame[names]).compute() == right) > 0.7
    model.save(tmp_path / "model.agno")
    again = agnoboost.load(tmp_path / "model.agno")
    assert type(again) is XGBAgnosticClassifier
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


class Deadly(UnlabeledObjective):
    """Kills its worker, once, in the middle of the training."""

    def __call__(self, first, second, weight=None):
        calls = int(os.environ.get("CALLS", "0"))
        os.environ["CALLS"] = str(calls + 1)
        flag = Path(os.environ["DEADLY"]) if "DEADLY" in os.environ else None
        if calls == 15 and flag is not None and flag.exists():
            flag.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(first, second, weight)


@pytest.mark.parametrize("saved", [False, True])
def test_a_worker_that_is_killed(saved, tmp_path, monkeypatch):
    """A clear error, no model, and what was saved is still there: the same fit goes on from it."""
    flag, checkpoint = tmp_path / "flag", tmp_path / "booster.ubj"
    flag.touch()
    monkeypatch.setenv("DEADLY", str(flag))
    monkeypatch.setattr(ours, "UnlabeledObjective", Deadly)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    X, y, _ = table()
    settings = {"unlabeled_weight": 1.0, "validation_fraction": None, "random_state": 0}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        model = ours.DaskXGBAgnosticClassifier(
            30, client=client, checkpoint=checkpoint if saved else None, checkpoint_every=5, **settings
        )
        with pytest.raises(RuntimeError, match=r"a worker was lost, or failed.*No model was made"):
            model.fit(*collections(X, y))
        assert not hasattr(model, "_cut")
        assert not flag.exists()
        assert checkpoint.exists() == saved
        client.wait_for_workers(2, timeout=60)
        model.fit(*collections(X, y))
        assert model.n_rounds_ == 30
        assert not checkpoint.exists()
    here = XGBAgnosticClassifier(30, n_jobs=1, **settings).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), here.decision_function(X), atol=2e-4)


def test_a_checkpoint_of_something_else_is_refused(client, tmp_path):
    X, y, _ = table()
    path = tmp_path / "booster.ubj"
    path.write_bytes(b"something else")
    settings = {"client": client, "unlabeled_weight": 1.0, "validation_fraction": None, "checkpoint": path}
    with pytest.raises(ValueError, match=r"not a checkpoint of XGBoost"):
        ours.DaskXGBAgnosticClassifier(5, **settings).fit(*collections(X, y))
    XGBAgnosticClassifier(5).fit(X, y).get_booster().save_model(path)
    with pytest.raises(ValueError, match=r"belongs to another fit"):
        ours.DaskXGBAgnosticClassifier(5, **settings).fit(*collections(X, y))
    with pytest.raises(ValueError, match=r"LightGBM keeps no checkpoints"):
        ours.DaskLGBMAgnosticClassifier(5, **settings).fit(*collections(X, y))


def frame_of(**columns):
    return dd.from_pandas(pd.DataFrame(columns), npartitions=2)


def bad_inputs():
    X, y, _ = table(rows=60)
    dX, dy = collections(X, y)
    texts = frame_of(a=np.arange(60.0), b=["x", "y"] * 30, label=["no", None] * 30)
    return [
        (X, y, TypeError, r"X must be a dask DataFrame"),
        (dX, y, TypeError, r"y must be a dask DataFrame, Series or array. Got ndarray"),
        (dX, dy.rechunk(7), ValueError, r"same partitions. Got 4 and 9"),
        (dX, da.from_array(y[:50], chunks=(15, 15, 15, 5)), ValueError, r"partition 3 differ"),
        (dX, da.full(60, np.nan, chunks=15), ValueError, r"all 60 rows are unlabeled"),
        (dX, da.where(da.arange(60, chunks=15) < 9, 1.0, np.nan), ValueError, r"at least 2 classes"),
        (texts[["a"]], texts["label"], TypeError, r"Labels on dask must be numbers.*Got dtype"),
        (texts[["a", "b"]], texts["a"], TypeError, r"Columns on dask must be numbers.*'b'"),
    ]


@pytest.mark.parametrize(("X", "y", "kind", "message"), bad_inputs())
def test_bad_input(client, X, y, kind, message):
    with pytest.raises(kind, match=message):
        ours.DaskXGBAgnosticClassifier(5, client=client).fit(X, y)


def test_unknown_divisions_are_no_obstacle(client):
    X, y, truth = table()
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(label=y), npartitions=3).clear_divisions()
    assert not frame.known_divisions
    model = ours.DaskXGBAgnosticClassifier(20, client=client, unlabeled_weight=1.0, validation_fraction=None)
    model.fit(frame[list("abcde")], frame["label"])
    assert np.mean(model.predict(X) == truth) > 0.85


def test_a_client_is_needed(monkeypatch):
    def none():
        raise ValueError("No global client found")

    monkeypatch.setattr(distributed, "get_client", none)
    X, y, _ = table(rows=60)
    with pytest.raises(ValueError, match=r"A dask client is needed"):
        ours.DaskXGBAgnosticClassifier(5).fit(*collections(X, y))


def test_without_dask(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"agnoboost\[dask\]"):
        ours.require_dask()
