"""Kinds of models, their layouts, and the way from an older layout to the newest."""

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.files.container import ModelFileError, read, write
from agnoboost.files.kinds import KINDS, MIGRATIONS, migrated


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 3))
    model = ab.AgnosticBoostingClassifier("algorithm1", "stump", n_rounds=10, random_state=0, validation_fraction=0.5)
    path = tmp_path_factory.mktemp("kinds") / "model.agno"
    model.fit(X, (X[:, 0] > 0).astype(int)).save(path)
    return model, path, X


def without(facts, *names):
    """As files were before columns had readers: with categories, and without some facts."""
    late = {*names, "columns", "column_numbers"}
    return {name: value for name, value in facts.items() if name not in late} | {"categories": {}}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_packer_and_a_way_from_every_older_layout(name):
    module = KINDS[name].module
    assert callable(module.pack)
    assert callable(module.unpack)
    assert {layout for kind, layout in MIGRATIONS if kind == name} == set(range(1, KINDS[name].layout))


def test_files_say_their_layout(saved):
    facts, _ = read(saved[1])
    assert (facts["kind"], facts["layout"]) == ("AgnosticBoostingClassifier", 3)


def test_early_files_of_boosting_models_are_read(saved, tmp_path):
    """They had no layout, shift or engines, and labels of held-out rows without targets."""
    model, path, X = saved
    facts, arrays = read(path)
    early = without(facts, "layout", "shift", "engines")
    assert "held_out/targets" in arrays
    write(tmp_path / "early.agno", early, {name: a for name, a in arrays.items() if name != "held_out/targets"})
    found = ab.load(tmp_path / "early.agno")
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(found.history_.choice.held_out.targets, model.history_.choice.held_out.targets)
    assert found.history_.engines == ["loop"]
    assert found.shift_ == 1.0


def test_migrations_leave_what_they_are_given_as_it_was(saved):
    facts, arrays = read(saved[1])
    early = without(facts, "layout", "shift")
    before = dict(early)
    assert migrated("AgnosticBoostingClassifier", early, arrays)[0]["shift"] == 1.0
    assert early == before


@pytest.mark.parametrize("layout", [0, 4, "2", None])
def test_layouts_of_later_versions_are_refused(layout, saved, tmp_path):
    facts, arrays = read(saved[1])
    write(tmp_path / "later.agno", {**facts, "layout": layout}, arrays)
    with pytest.raises(ModelFileError, match=r"reads layouts up to 3\. Update with"):
        ab.load(tmp_path / "later.agno")


def test_kinds_of_later_versions_are_refused(saved, tmp_path):
    facts, arrays = read(saved[1])
    write(tmp_path / "later.agno", {**facts, "kind": "Oracle"}, arrays)
    with pytest.raises(ModelFileError, match="holds a Oracle, which this version of agnoboost does not know"):
        ab.load(tmp_path / "later.agno")
