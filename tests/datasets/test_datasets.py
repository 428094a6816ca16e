import numpy as np
import pytest

from agnoboost.datasets import available, bundled, drop_labels, flip_labels, load


@pytest.mark.parametrize("name", available())
def test_bundled_tables_match_their_provenance(name):
    table = load(name)
    facts = table.provenance
    assert table.X.shape == (facts["rows"], facts["features"]) == (len(table.y), len(table.features))
    assert np.isfinite(table.X).all()
    assert set(table.y.tolist()) == {-1, 1}
    assert facts["source"]
    assert facts["licence"]


def test_a_damaged_file_is_refused(monkeypatch):
    facts = bundled._provenance()
    facts["spambase"]["sha256"] = "0" * 64
    monkeypatch.setattr(bundled, "_provenance", lambda: facts)
    with pytest.raises(OSError, match=r"checksum differs\. Install agnoboost again"):
        load("spambase")


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="name must be one of spambase"):
        load("iris")


def test_drop_labels(rng):
    y = rng.choice([-1, 1], 200)
    dropped = drop_labels(y, 0.9, rng)
    assert np.isnan(dropped).sum() == 180
    assert (dropped[~np.isnan(dropped)] == y[~np.isnan(dropped)]).all()
    assert (drop_labels(y, 0.0, rng) == y).all()
    assert (~np.isnan(drop_labels(y, 1.0, rng))).sum() == 1
    assert np.isnan(drop_labels(dropped, 0.5, rng)).sum() == 190  # half of those that are left
    words = drop_labels(np.array(["a", "b"] * 50), 0.5, 0)
    assert sum(word is None for word in words) == 50
    assert {"a", "b"} <= set(words)
    with pytest.raises(ValueError, match=r"fraction must be in \[0, 1\]"):
        drop_labels(y, 1.5, rng)


def test_flip_labels(rng):
    y = np.concatenate([np.ones(5000), -np.ones(5000), np.full(100, np.nan)])
    flipped = flip_labels(y, 0.2, rng)
    assert np.mean(flipped[:10_000] != y[:10_000]) == pytest.approx(0.2, abs=0.02)
    assert np.isnan(flipped[10_000:]).all()
    three = np.array(["a", "b", "c"] * 3000)
    moved = flip_labels(three, 0.3, 0)
    assert np.mean(moved != three) == pytest.approx(0.3, abs=0.02)
    assert np.mean(moved[three == "a"] == "c") == pytest.approx(0.15, abs=0.02)
    with pytest.raises(ValueError, match="at least 2 classes"):
        flip_labels(np.ones(5), 0.1, rng)
    assert (flip_labels(y, 1.0, rng)[:10_000] == -y[:10_000]).all()
