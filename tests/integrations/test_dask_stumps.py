"""The paper's estimator with stumps on dask: the model of one process, to the bit, on any number of workers."""

import os
import signal

import keeper_contract
import numpy as np
import pytest
from sklearn.base import clone

import agnoboost
from agnoboost import AgnosticBoostingClassifier
from agnoboost.integrations import dask_far, dask_rows
from agnoboost.kernels import binning
from agnoboost.kernels.binning import Bins
from agnoboost.kernels.cells import Layout
from agnoboost.rounds.far.blocks import Places, look_at
from agnoboost.rounds.far.table import Sides
from agnoboost.rounds.stumps.keepers.plain import PlainKeeper

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
ours = pytest.importorskip("agnoboost.integrations.dask")

pytestmark = pytest.mark.filterwarnings("default")  # dask warns of many things

Spread = ours.DaskAgnosticBoostingClassifier


def cluster(workers, processes=False):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, dashboard_address=None, memory_limit=None
    )


@pytest.fixture(scope="module")
def client():
    with cluster(2) as found, distributed.Client(found) as client:
        yield client


def table(rows=3000, labeled=400, seed=0, dtype=np.float64):
    """Columns of many values and of few, with gaps."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 5)).astype(dtype)
    X[:, 2] = np.round(X[:, 2])
    X[rng.random(rows) < 0.1, 3] = np.nan
    truth = ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(rows) < 0.1)).astype(float)
    return X, np.where(rng.random(rows) < labeled / rows, truth, np.nan)


def collections(X, y, chunk=700):
    return da.from_array(X, chunks=(chunk, X.shape[1])), da.from_array(y, chunks=chunk)


def here(**settings):
    return AgnosticBoostingClassifier(weak_learner="stump", batch_size=None, **settings)


def same_model(found, expected):
    tapes = [model.tape_ if isinstance(model.tape_, list) else [model.tape_] for model in (found, expected)]
    for one, other in zip(*tapes, strict=True):
        assert one.unit == other.unit
        assert list(one.steps) == list(other.steps)
    assert found.history_.choice.reason == expected.history_.choice.reason
    assert (found.n_labeled_, found.n_unlabeled_) == (expected.n_labeled_, expected.n_unlabeled_)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_same_model_on_any_number_of_workers(workers):
    X, y = table(dtype=np.float32)
    settings = {"n_rounds": 150, "unlabeled_weight": 1.0, "random_state": 0}
    with cluster(workers) as found, distributed.Client(found) as client:
        model = Spread(**settings).fit(*collections(X, y), client=client)
    same_model(model, here(**settings).fit(X, y))
    assert model.history_.engines == ["far"]
    [questions] = model.history_.questions
    assert questions["totals"] == 1
    assert 4 <= sum(questions.values()) < model.n_rounds_ / 4


@pytest.mark.parametrize(
    "settings",
    [
        {"unlabeled_weight": 0.3},  # weights of two sizes
        {"unlabeled_weight": 0.0},  # nothing but labels counts: they are here
        {"unlabeled_weight": "auto"},
        {"unlabeled_weight": 1.0, "threshold": 0.05, "step_size": 0.3},  # case B
        {"unlabeled_weight": 1.0, "algorithm": "algorithm3", "shift": 2.0},
    ],
    ids=str,
)
def test_the_same_model_with_other_settings(client, settings):
    X, y = table(seed=1)
    settings = {"n_rounds": 60, "random_state": 3, **settings}
    same_model(Spread(**settings).fit(*collections(X, y)), here(**settings).fit(X, y))


def test_labels_alone_where_they_are_too_many_to_be_gathered(client, monkeypatch):
    monkeypatch.setattr("agnoboost.estimators.boosting.far.MOST_LABELED", 1000)
    X, y = table(rows=4000, labeled=3000)
    settings = {"n_rounds": 60, "unlabeled_weight": 0.0, "validation_fraction": None, "random_state": 0}
    model = Spread(**settings).fit(*collections(X, y))
    assert model.history_.engines == ["far"]
    found, expected = list(model.tape_.steps), list(here(**settings).fit(X, y).tape_.steps)
    assert found == expected


def test_frames_several_classes_predictions_and_files(client, tmp_path):
    X, y = table()
    three = np.where(np.isnan(y), np.nan, y + (X[:, 2] > 0))
    names = list("abcde")
    frame = pd.DataFrame(X, columns=names).astype({"a": "float32"}).assign(label=three)
    spread = dd.from_pandas(frame, npartitions=3)
    settings = {"n_rounds": 40, "unlabeled_weight": 1.0, "validation_fraction": None, "random_state": 0}
    model = Spread(**settings).fit(spread[names], spread["label"])
    expected = here(categorical_features=None, **settings).fit(frame[names], three)
    same_model(model, expected)
    assert model.classes_.tolist() == [0, 1, 2]
    proba = model.predict_proba(spread[names])
    np.testing.assert_array_equal(proba.compute(), expected.predict_proba(frame[names]))
    assert model.score(spread[names], spread["label"]) == expected.score(frame[names], three)
    model.save(tmp_path / "model.agno")
    again = agnoboost.load(tmp_path / "model.agno")
    assert type(again) is AgnosticBoostingClassifier
    np.testing.assert_array_equal(again.predict(frame[names]), model.predict(spread[names]).compute())
    with pytest.raises(ValueError, match=r"Columns must be those of fit"):
        model.predict(spread[names[::-1]])
    clone(model)


def blocks_of(client, X, y, chunk=700):
    parts = dask_rows.partitions(*collections(X, y, chunk))
    known = [~np.isnan(y[start : start + chunk]) for start in range(0, len(y), chunk)]
    labeled = np.array([own.sum() for own in known])
    return dask_far.DaskBlocks(client, parts, np.array([0.0, 1.0]), labeled, np.array(list(map(len, known))) - labeled)


def test_bins_and_rows_are_those_of_a_table_in_memory(client, monkeypatch):
    monkeypatch.setattr(binning, "SAMPLE_ROWS", 500)  # a sample of the rows, and a look at all for few values
    X, y = table()
    X[-1, 2] = 17.0  # which no sample may miss
    known = ~np.isnan(y)
    labeled, unlabeled = np.array([3, 100, 0, 399]), np.array([2500, 7])
    bins, rows = look_at(blocks_of(client, X, y), Places(labeled, unlabeled))
    assert bins == Bins.from_data([X[known], X[~known]])
    assert 17.0 > bins.cuts[2][-1] > 3.0
    np.testing.assert_array_equal(rows.X, X[known][np.sort(labeled)])
    np.testing.assert_array_equal(rows.codes, y[known][np.sort(labeled)])
    np.testing.assert_array_equal(rows.unlabeled, X[~known][np.sort(unlabeled)])


@pytest.mark.parametrize("sides", [Sides(1, 0, 1), Sides(0, 3, 20)], ids=str)
def test_workers_answer_as_one_keeper_of_all_rows(client, sides):
    X, y = table(rows=500)
    layout = Layout.of(Bins.from_data(X, 40), [X])
    rng = np.random.default_rng(0)
    counting = keeper_contract.random_rows(rng, "equal weights", 3)[0]
    counting = type(counting)(**{**vars(counting), "start": layout.start})
    kept = blocks_of(client, X, y, 60).kept(layout, True)
    classes = np.where(np.isnan(y), -1, np.nan_to_num(y)).astype(np.int16)
    places = dask_far.placed(client, dask_rows.partitions(*collections(X, y, 60)), np.full(9, 60))
    assert len(set(places)) == 2
    order = [row for home in dict.fromkeys(places) for row in np.flatnonzero(np.repeat(places, 60)[:500] == home)]
    parts = (sides.weights(classes).astype(np.int64)[order], sides.labels(classes).astype(np.int64)[order])
    plain = PlainKeeper(counting, layout.encode([X])[order], *parts)
    keeper_contract.compare(kept.keeper(counting, sides), plain, rng, "different weights", str(sides))
    kept.close()


def test_rows_stay_with_those_who_have_them(client):
    X, y = table()
    dX, dy = collections(X, y)
    first, second = sorted(client.nthreads())
    spread = da.concatenate([client.persist(dX[:1400], workers=[second]), client.persist(dX[1400:], workers=[first])])
    distributed.wait(distributed.futures_of(spread))
    homes = dask_far.placed(client, dask_rows.partitions(spread, dy), np.array([700, 700, 700, 700, 200]))
    assert homes == [second, second, first, first, first]


class LosingRows:
    """Workers do not answer any more after so many questions."""

    def __init__(self, monkeypatch, after):
        self.left, self.real = after, dask_far.Crew.ask
        monkeypatch.setattr(dask_far.Crew, "ask", lambda crew, *question: self.ask(crew, *question))

    def ask(self, crew, *question):
        self.left -= 1
        if self.left < 0:
            raise dask_far.RowsLostError("the worker at inproc://1 is gone")
        return self.real(crew, *question)


@pytest.mark.parametrize("after", [2, 8, 11])
def test_a_fit_that_was_stopped_goes_on_to_the_same_model(client, tmp_path, monkeypatch, after):
    X, y = table()
    path = tmp_path / "run.state"
    settings = {"n_rounds": 300, "step_size": 0.01, "unlabeled_weight": 1.0, "validation_fraction": None}
    model = Spread(checkpoint=path, random_state=0, **settings)
    with monkeypatch.context() as patched:
        LosingRows(patched, after)
        saved = r"What was done is in .*run.state" if after > 2 else r"Nothing had been saved"
        with pytest.raises(RuntimeError, match=rf"a worker was lost, or failed \(the worker at .* is gone\).*{saved}"):
            model.fit(*collections(X, y))
    assert not hasattr(model, "_cut")
    assert path.exists() == (after > 2)
    with cluster(3) as other, distributed.Client(other) as more:
        model.fit(*collections(X, y), client=more)
    assert list(model.tape_.steps) == list(here(random_state=0, **settings).fit(X, y).tape_.steps)
    with pytest.raises(ValueError, match=r"checkpoint of another run"):
        model.fit(*collections(X, 1.0 - y), client=client)


def test_a_worker_that_is_killed(tmp_path):
    """For real: with processes, of which one ends in the middle of the rounds."""
    X, y = table(rows=20_000, labeled=2000)
    path = tmp_path / "run.state"
    settings = {"n_rounds": 400, "step_size": 0.003, "unlabeled_weight": 1.0, "validation_fraction": None}
    model, real, asked = Spread(checkpoint=path, random_state=0, **settings), dask_far.Crew.ask, []
    with (
        cluster(2, processes=True) as found,
        distributed.Client(found) as client,
        pytest.MonkeyPatch.context() as patch,
    ):

        def ask(crew, *question):
            asked.append(question)
            if len(asked) == 9:
                [victim] = client.run(os.getpid, workers=[min(crew.lookout.workers)]).values()
                os.kill(victim, signal.SIGKILL)
            return real(crew, *question)

        patch.setattr(dask_far.Crew, "ask", ask)
        with pytest.raises(RuntimeError, match=r"a worker was lost, or failed.*What was done is in"):
            model.fit(*collections(X, y, 2000), client=client)
        client.wait_for_workers(2, timeout=60)
        model.fit(*collections(X, y, 2000), client=client)
    assert list(model.tape_.steps) == list(here(random_state=0, **settings).fit(X, y).tape_.steps)


def test_a_cluster_that_is_gone_is_noticed():
    """Whoever waits for an answer asks now and then whether all workers are there."""

    class Silent:
        def result(self, timeout):
            raise TimeoutError

    class Client:
        status = "running"

        def nthreads(self):
            return {"tcp://1": 1}

    with pytest.raises(dask_far.RowsLostError, match=r"the worker at tcp://2 is gone"):
        dask_far.Lookout(Client(), frozenset({"tcp://1", "tcp://2"})).results([Silent()])
    Client.status = "closed"
    with pytest.raises(dask_far.RowsLostError, match=r"the scheduler does not answer"):
        dask_far.Lookout(Client(), frozenset()).results([Silent()])


def test_a_host_that_was_made_anew_has_lost_its_rows(client):
    host = client.submit(dask_far.Host, "key", 3, 2, actor=True).result()
    with pytest.raises(dask_far.RowsLostError, match=r"started anew"):
        host.begin(None, None).result()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algorithm": "algorithm2"}, r"algorithm must be 'algorithm1' or 'algorithm3'. Got 'algorithm2'"),
        ({"n_rounds": 0}, r"n_rounds"),
        ({"checkpoint": "here"}, r"checkpoint needs a fixed random_state"),
    ],
)
def test_settings_are_checked_before_any_work(client, settings, message):
    with pytest.raises(ValueError, match=message):
        Spread(**settings).fit(*collections(*table(rows=60, labeled=30)))


def test_infinite_numbers_are_refused(client):
    X, y = table(rows=200, labeled=100)
    X[150, 1] = np.inf
    with pytest.raises(ValueError, match=r"X must be finite. Got infinity"):
        Spread(n_rounds=5).fit(*collections(X, y, 50))
