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
    assert (dropped == 0).sum() == 180
    assert (dropped[dropped != 0] == y[dropped != 0]).all()
    assert (drop_labels(y, 0.0, rng) == y).all()
    assert (drop_labels(y, 1.0, rng) != 0).sum() == 1
    with pytest.raises(ValueError, match=r"fraction must be in \[0, 1\]"):
        drop_labels(y, 1.5, rng)


def test_flip_labels(rng):
    y = np.concatenate([np.ones(5000), -np.ones(5000), np.zeros(100)])
    flipped = flip_labels(y, 0.2, rng)
    assert np.mean(flipped[:10_000] != y[:10_000]) == pytest.approx(0.2, abs=0.02)
    assert (flipped[10_000:] == 0).all()
    assert (flip_labels(y, 1.0, rng)[:10_000] == -y[:10_000]).all()
