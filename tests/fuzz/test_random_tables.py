"""Random tables through the classifiers, made small by hypothesis where one of them goes wrong."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.legs.tables import MODELS, Tables
from fuzz.random_tables import COLUMNS, made, table_recipe

pytest.importorskip("pandas")


@st.composite
def recipes(draw):
    return table_recipe(lambda options: draw(st.sampled_from(options)))


@pytest.fixture(scope="module")
def leg(tmp_path_factory):
    leg = Tables()
    leg.start(tmp_path_factory.mktemp("tables"))
    return leg


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(recipe=recipes())
def test_a_table_is_refused_in_a_sentence_or_its_model_is_sound(leg, model, recipe):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        verdict = leg.run({"model": model, **recipe})
    assert not verdict.outcome.is_finding, verdict


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_made(kind):
    common = {"seed": 0, "rows": 9, "labels": "three", "unlabeled": 0.5, "names": "plain", "form": "frame"}
    X, y = made({"columns": [{"kind": kind, "gaps": 0.0}], **common})
    again, _ = made({"columns": [{"kind": kind, "gaps": 0.0}], **common})
    assert len(X) == len(y) == 9
    assert X.equals(again)
