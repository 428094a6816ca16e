"""Training on a local cluster with real worker processes."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import agnoboost
from agnoboost.basics.errors import CheckpointError
from agnoboost.integrations import LGBMAgnosticClassifier, UnlabeledObjective, XGBAgnosticClassifier
from agnoboost.integrations import dask as ours

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("xgboost")
pytest.importorskip("lightgbm")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("default")  # dask and the backends warn of each other

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
    there = spread(30, **settings).fit(*collections(X, y), client=client)
    here = local(30, n_jobs=1, **settings).fit(X, y)
    dX, dy = collections(X, y)
    assert there.score(dX, dy) == there.score(X, y) > 0.8
    np.testing.assert_allclose(there.pred_contribs(dX).compute().sum(axis=1), there.decision_function(X), atol=1e-4)
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
    model = spread(60, random_state=0).fit(*collections(X, y))
    assert "cross-validation" in model.choice_.reason
    assert 0.0 in model.choice_.losses  # others are tried where labels suffice to tell them apart
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

    def __call__(self, first, second, sample_weight=None):
        calls = int(os.environ.get("CALLS", "0"))
        os.environ["CALLS"] = str(calls + 1)
        flag = Path(os.environ["DEADLY"]) if "DEADLY" in os.environ else None
        if calls == 15 and flag is not None and flag.exists():
            flag.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(first, second, sample_weight)


@pytest.mark.parametrize(("pair", "saved"), [(XGB, False), (XGB, True), (LGBM, False)])
def test_a_worker_that_is_killed(pair, saved, tmp_path, monkeypatch):
    """A clear error, no model, and what was saved is still there: the same fit goes on from it."""
    spread, local = pair
    flag, checkpoint = tmp_path / "flag", tmp_path / "booster.ubj"
    flag.touch()
    monkeypatch.setenv("DEADLY", str(flag))
    monkeypatch.setattr(ours, "UnlabeledObjective", Deadly)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    X, y, _ = table()
    settings = {"unlabeled_weight": 1.0, "validation_fraction": None, "random_state": 0}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        model = spread(30, checkpoint=checkpoint if saved else None, checkpoint_every=5, **settings)
        with pytest.raises(RuntimeError, match=r"a worker was lost, or failed.*No model was made"):
            model.fit(*collections(X, y), client=client)
        assert not hasattr(model, "_cut")
        assert not flag.exists()
        assert checkpoint.exists() == saved
        client.wait_for_workers(2, timeout=60)
        if pair is LGBM:  # as the error says
            client.restart()
        model.fit(*collections(X, y), client=client)
        assert model.n_rounds_ == 30
        assert not checkpoint.exists()
    here = local(30, n_jobs=1, **settings).fit(X, y)
    assert np.mean(model.predict(X) == here.predict(X)) > 0.97


class Stopping(Exception):
    pass


def stopped_after(calls, monkeypatch):
    """xgboost.dask.train fails after so many calls, and counts them."""
    import xgboost.dask

    real, made = xgboost.dask.train, []

    def train(*arguments, **options):
        if len(made) == calls:
            raise Stopping
        made.append(1)
        return real(*arguments, **options)

    monkeypatch.setattr(xgboost.dask, "train", train)
    return made


def test_nothing_that_was_saved_is_lost_with_several_classes(client, tmp_path, monkeypatch):
    X, y, _ = table()
    three = np.where(np.isnan(y), np.nan, y + (X[:, 2] > 12))
    path = tmp_path / "run"
    settings = {"unlabeled_weight": 0.5, "validation_fraction": None, "random_state": 0}
    model = ours.DaskXGBAgnosticClassifier(20, checkpoint=path, checkpoint_every=5, **settings)
    with monkeypatch.context() as patched:
        stopped_after(6, patched)
        with pytest.raises(RuntimeError, match=r"What was done is in .*run.1; fit again"):
            model.fit(*collections(X, three))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.0", "run.1"]
    with monkeypatch.context() as patched:
        made = stopped_after(99, patched)
        model.fit(*collections(X, three))
    assert len(made) == 6  # 12 in all
    assert not list(tmp_path.iterdir())
    whole = ours.DaskXGBAgnosticClassifier(20, **settings).fit(*collections(X, three))
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-5)


def test_a_checkpoint_of_something_else_is_refused(client, tmp_path, monkeypatch):
    X, y, _ = table()
    path = tmp_path / "booster.ubj"
    settings = {"unlabeled_weight": 1.0, "validation_fraction": None, "checkpoint": path, "random_state": 0}
    make = ours.DaskXGBAgnosticClassifier
    path.write_bytes(b"something else")
    with pytest.raises(CheckpointError, match=r"must be a checkpoint file of agnoboost"):
        make(5, **settings).fit(*collections(X, y))
    XGBAgnosticClassifier(5).fit(X, y).save(path)
    with pytest.raises(CheckpointError, match=r"It is another kind of archive"):
        make(5, **settings).fit(*collections(X, y))
    path.unlink()
    with monkeypatch.context() as patched:
        stopped_after(1, patched)
        with pytest.raises(RuntimeError, match=r"fit again to go on"):
            make(8, checkpoint_every=2, **settings).fit(*collections(X, y))
    content = path.read_bytes()
    path.write_bytes(content[:-5] + b"x" + content[-4:])
    with pytest.raises(CheckpointError, match=r"checkpoint"):
        make(8, checkpoint_every=2, **settings).fit(*collections(X, y))
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"belongs to another fit"):  # the same rows with other labels
        make(8, checkpoint_every=2, **settings).fit(*collections(X, 1.0 - y))
    with pytest.raises(ValueError, match=r"checkpoint needs a fixed random_state"):
        make(5, checkpoint=path).fit(*collections(X, y))
    with pytest.raises(ValueError, match=r"LightGBM keeps no checkpoints"):
        ours.DaskLGBMAgnosticClassifier(5, **settings).fit(*collections(X, y))


def test_a_fit_that_fails_leaves_no_model(client, monkeypatch):
    X, y, _ = table()
    model = ours.DaskXGBAgnosticClassifier(5, unlabeled_weight=1.0, validation_fraction=None)
    model.fit(*collections(X, y))
    stopped_after(0, monkeypatch)
    with pytest.raises(RuntimeError, match=r"No model was made"):
        model.fit(*collections(X, y + 5))
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_columns_are_known_by_name(client):
    X, y, _ = table()
    names = list("abcde")
    frame = dd.from_pandas(pd.DataFrame(X, columns=names).assign(label=y), npartitions=3)
    model = ours.DaskXGBAgnosticClassifier(10, unlabeled_weight=1.0, validation_fraction=None)
    model.fit(frame[names], frame["label"])
    with pytest.raises(ValueError, match=r"Columns must be those of fit"):
        model.predict(frame[names[::-1]])
    with pytest.raises(ValueError, match=r"feature names"):
        model.predict(pd.DataFrame(X, columns=names)[names[::-1]])
    assert model.to_local().feature_names_in_.tolist() == names
    clone(model)


def test_other_kinds_of_labels(client):
    X, _, truth = table()
    settings = {"unlabeled_weight": 1.0, "validation_fraction": None}
    for labels in (
        truth.astype(bool),
        5 + 2 * truth.astype(int),
        np.where(np.arange(1200) < 400, truth, -1).astype(int),
    ):
        model = ours.DaskXGBAgnosticClassifier(10, **settings).fit(*collections(X, labels))
        known = labels != -1 if labels.dtype != bool else np.ones(1200, dtype=bool)
        assert set(model.classes_.tolist()) == set(labels[known].tolist())
        assert np.mean(model.predict(X)[known] == labels[known]) > 0.8


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
        (dX, da.full(60, np.nan, chunks=15), ValueError, r"Got 0, in 0 labeled and 60 unlabeled rows"),
        (dX, da.where(da.arange(60, chunks=15) < 9, 1.0, np.nan), ValueError, r"at least 2 classes. Got 1, in 9 "),
        (dX, da.full(60, np.inf, chunks=15), ValueError, r"Got infinity"),
        (dX, da.arange(60.0, chunks=15), ValueError, r"which come again. Got 60 of them in 60 labeled rows"),
        (dX, dy[:, None], ValueError, r"y must have 1 axis. Got 2"),
        (dX[:, 0], dy, ValueError, r"X must have 2 axes. Got 1"),
        (texts[["a"]], texts["label"], TypeError, r"Labels on dask must be numbers.*Got dtype"),
        (texts[["a", "b"]], texts["a"], TypeError, r"Columns on dask must be numbers.*'b'"),
    ]


@pytest.mark.parametrize(("X", "y", "kind", "message"), bad_inputs())
def test_bad_input(client, X, y, kind, message):
    with pytest.raises(kind, match=message):
        ours.DaskXGBAgnosticClassifier(5).fit(X, y, client=client)


def test_unknown_divisions_are_no_obstacle(client):
    X, y, truth = table()
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")).assign(label=y), npartitions=3).clear_divisions()
    assert not frame.known_divisions
    model = ours.DaskXGBAgnosticClassifier(20, unlabeled_weight=1.0, validation_fraction=None)
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
