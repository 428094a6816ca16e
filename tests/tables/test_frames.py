"""pandas, polars and pyarrow give the same model, and model files keep what was learned of columns."""

from decimal import Decimal

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.tables.encoder import LeftOutWarning

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
ROWS = 240


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    when = pd.Series(pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700 * 24, ROWS), unit="h"))
    table = pd.DataFrame(
        {
            "id": [f"A{n:05d}" for n in range(ROWS)],
            "x": rng.normal(size=ROWS),
            "when": when,
            "zone": when.dt.tz_localize("UTC").dt.tz_convert("America/New_York"),
            "day": when.dt.date,
            "written": when.dt.strftime("%d/%m/%Y"),
            "lasted": pd.to_timedelta(rng.integers(0, 99, ROWS), unit="s"),
            "price": [Decimal(n) / 4 for n in rng.integers(0, 50, ROWS).tolist()],
            "flag": rng.random(ROWS) > 0.5,
            "count": pd.array(rng.integers(0, 9, ROWS), dtype="Int64"),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], ROWS)),
        }
    )
    table.loc[::7, ["when", "zone", "written", "lasted", "count", "colour"]] = None
    return table


@pytest.fixture(scope="module")
def labels(frame):
    weekend = frame["day"].map(lambda day: day.weekday() >= 5).to_numpy()
    return np.where(np.arange(ROWS) < 160, np.where(weekend ^ (frame["x"] > 1).to_numpy(), 1.0, 0.0), np.nan)


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(scope="module")
def model(frame, labels):
    with pytest.warns(LeftOutWarning, match=r"identifiers .*: 'id'. To use .* categorical_features=\['id'\]"):
        return ab.AgnosticBoostingClassifier(n_rounds=30, random_state=0).fit(frame, labels)


def test_columns_in_words(model):
    names = model._matrix_names
    assert names[:6] == ["x", "when: days", "when: year", "when: month", "when: weekday", "when: hour"]
    assert names[-5:] == ["lasted", "price", "flag", "count", "colour"]
    assert model._encoder.sources[:6] == [1, 2, 2, 2, 2, 2]
    assert model._encoder.left_out == ["id"]
    assert model._encoder.categories == {len(names) - 1: ["blue", "green", "red"]}


def test_importances_have_one_entry_for_each_column_of_the_table(model, frame):
    assert model.feature_importances_.shape == (frame.shape[1],)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[0] == 0.0
    assert model.feature_importances_[list(frame.columns).index("day")] > 0.1


@pytest.mark.parametrize("convert", [arrow, lambda frame: pl.from_arrow(arrow(frame))], ids=["pyarrow", "polars"])
def test_other_frames_give_the_same_model(model, frame, labels, convert):
    other = convert(frame)
    with pytest.warns(LeftOutWarning):
        same = ab.AgnosticBoostingClassifier(n_rounds=30, random_state=0).fit(other, labels)
    assert same.tape_ == model.tape_
    np.testing.assert_array_equal(model.decision_function(other), model.decision_function(frame))


@pytest.mark.parametrize("kind", [ab.AgnosticBoostingClassifier, ab.TableClassifier])
def test_files_keep_readers(kind, frame, labels, tmp_path):
    settings = {"n_rounds": 10} if kind is ab.AgnosticBoostingClassifier else {"effort": "fast"}
    with pytest.warns(LeftOutWarning):
        model = kind(random_state=0, **settings).fit(frame, labels)
    model.save(tmp_path / "m.agno")
    again = ab.load(tmp_path / "m.agno")
    assert again._encoder.readers == model._encoder.readers
    assert (again._matrix_names, again._encoder.sources) == (model._matrix_names, model._encoder.sources)
    np.testing.assert_array_equal(again.decision_function(arrow(frame)), model.decision_function(frame))
