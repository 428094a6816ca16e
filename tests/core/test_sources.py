import numpy as np
import pytest

from agnoboost import OnePass, Pool, SourceExhausted, Stream, split_labels
from agnoboost.core.sources import as_source

X = np.arange(10.0).reshape(5, 2)
Y = [1, -1, 1, 1, -1]


def test_a_pool_counts_and_hands_out_all_rows(rng):
    pool = Pool(X, Y)
    first, second = pool.draw(None, rng), pool.draw(None, rng)
    assert first.X is second.X  # the same array, so that margins can be carried along
    assert first.y.tolist() == Y
    assert pool.drawn == 10
    pool.draw(3, rng)
    assert pool.drawn == 13


@pytest.mark.parametrize("n", [3, 5, 1000])
def test_draws_from_a_pool_follow_its_distribution(rng, n):
    mass = np.array([0.1, 0.2, 0.3, 0.4, 0.0])
    pool = Pool(X, Y, mass)
    counts = np.zeros(5)
    repeats = 60_000 // n
    for _ in range(repeats):
        sample = pool.draw(n, rng)
        assert sample.mass.sum() == pytest.approx(1.0)
        np.add.at(counts, (sample.X[:, 0] / 2).astype(int), sample.mass)
    assert counts / repeats == pytest.approx(mass, abs=0.012)
    assert pool.drawn == n * repeats


def test_labels_stay_with_their_rows(rng):
    truth = {tuple(x): y for x, y in zip(X, Y, strict=True)}
    for source, n in ((Pool(X, Y), 3), (Pool(X, Y), 50), (OnePass(X, Y), 5)):
        sample = source.draw(n, rng)
        assert all(truth[tuple(x)] == y for x, y in zip(sample.X, sample.y, strict=True))


def test_one_pass_hands_out_each_row_once_in_random_order(rng):
    source = OnePass(X, Y)
    seen = np.concatenate([source.draw(2, rng).X, source.draw(3, rng).X])
    assert sorted(seen[:, 0]) == X[:, 0].tolist()
    assert source.remaining == 0
    with pytest.raises(SourceExhausted, match=r"asked for 1 rows and has 0 of 5 left.*fewer rounds"):
        source.draw(1, rng)
    orders = {tuple(OnePass(X).draw(5, np.random.default_rng(seed)).X[:, 0]) for seed in range(10)}
    assert len(orders) > 5


def test_streams(rng):
    stream = Stream(lambda n, rng: (rng.normal(size=(n, 3)), rng.choice([-1, 1], n)), labeled=True)
    sample = stream.draw(4, rng)
    assert sample.X.shape == (4, 3)
    assert set(sample.y) <= {-1.0, 1.0}
    assert stream.drawn == 4
    with pytest.raises(ValueError, match=r"no end.*rows_unlabeled=1000"):
        stream.draw(None, rng)
    with pytest.raises(ValueError, match=r"must return 4 rows. Got 3"):
        Stream(lambda n, rng: rng.normal(size=(n - 1, 3))).draw(4, rng)
    with pytest.raises(ValueError, match=r"and their labels"):
        Stream(lambda n, rng: rng.normal(size=(n, 3)), labeled=True).draw(4, rng)
    with pytest.raises(ValueError, match=r"must have 2 features.*Got 3"):
        Stream(lambda n, rng: rng.normal(size=(n, 3)), n_features=2).draw(4, rng)


def test_split_labels():
    labeled, unlabeled = split_labels(X, [1, 0, 0, -1, 0])
    assert labeled.y.tolist() == [1, -1]
    assert len(unlabeled) == 3
    with pytest.raises(ValueError, match=r"at least one row as unlabeled"):
        split_labels(X, Y)
    with pytest.raises(ValueError, match=r"at least one row as labeled"):
        split_labels(X, np.zeros(5))
    with pytest.raises(ValueError, match=r"must hold -1, .1, or 0"):
        split_labels(X, [1, 2, 0, 0, 0])


def test_rows_cannot_be_changed_behind_a_pool():
    with pytest.raises(ValueError, match=r"read-only"):
        Pool(X).X[0, 0] = 7


@pytest.mark.parametrize(
    ("X_bad", "message"),
    [
        (np.zeros((0, 2)), "at least one row.*Got shape"),
        (np.zeros(3), "2 dimensions.*Reshape"),
        ([[-np.inf, 1.0], [0.0, 1.0]], "must be finite. Got infinity in 1 of 2 rows.*Replace"),
        ([[np.inf, 1.0]], "must be finite"),
        ([["a", "b"]], "must be numeric.*OrdinalEncoder"),
    ],
)
def test_bad_tables_are_refused(X_bad, message):
    with pytest.raises(ValueError, match=message):
        Pool(X_bad)


@pytest.mark.parametrize(
    ("y_bad", "message"),
    [
        ([0, 1, 1, 1, -1], "only -1 and .1.*split_labels"),
        ([0, 1, 1, 1, 2], "only -1 and .1.*np.where"),
        (["a", "b", "a", "b", "a"], "only -1 and .1.*np.where"),
        ([True, False, True, True, False], "only -1 and .1.*np.where"),
        ([True, True, True, True, True], "only -1 and .1.*np.where"),
        ([1, -1], "one label for each of the 5 rows"),
        ([np.nan, 1, 1, 1, -1], "only -1 and .1"),
    ],
)
def test_bad_labels_are_refused(y_bad, message):
    with pytest.raises(ValueError, match=message):
        Pool(X, y_bad)


def test_bad_masses_are_refused():
    for bad in ([1, 1, 1, 1, -1], [0, 0, 0, 0, 0], [np.nan, 1, 1, 1, 1]):
        with pytest.raises(ValueError, match=r"nonnegative and not all zero"):
            Pool(X, Y, bad)
    with pytest.raises(ValueError, match=r"one weight for each"):
        Pool(X, Y, [1, 2])


def test_numbers_that_came_as_objects_are_labels():
    assert Pool(X, np.array(Y, dtype=object)).y.tolist() == Y


def test_a_stream_may_use_its_array_again(rng):
    buffer = np.zeros((2, 2))

    def fill(n, rng):
        buffer[:] = rng.normal(size=(2, 2))
        return buffer

    stream = Stream(fill)
    first = stream.draw(2, rng).X
    kept = first.copy()
    stream.draw(2, rng)
    assert np.array_equal(first, kept)


def test_odd_tables_get_a_message_of_their_own():
    from scipy.sparse import csr_array

    with pytest.raises(ValueError, match=r"must be dense.*toarray"):
        Pool(csr_array(X))
    with pytest.raises(ValueError, match=r"X, not \(X, y\)"):
        as_source((X, Y), labeled=False)


def test_sources_of_the_wrong_kind_are_refused():
    with pytest.raises(ValueError, match=r"labeled rows was expected. Got unlabeled"):
        as_source(Pool(X), labeled=True)
    with pytest.raises(ValueError, match=r"unlabeled rows was expected. Got labeled"):
        as_source(Pool(X, Y), labeled=False)
    with pytest.raises(ValueError, match=r"pair \(X, y\)"):
        as_source(X, labeled=True)


def test_what_a_pool_says_of_its_draws_is_void_for_another_draw():
    class Noisy(Pool):
        def draw(self, n, rng):
            return super().draw(n, rng)

    class Renamed(Pool):
        pass

    assert Noisy(X).whole() is None
    assert Renamed(X).whole().X.tolist() == X.tolist()
