"""A few seconds of the campaign against files, and past findings. `make fuzz` goes on for as long as one likes."""

import importlib.util
import os
import time
import warnings

import pytest

from fuzz.archives import apply
from fuzz.corpus import CHECKPOINTS, MODELS
from fuzz.legs import LEGS
from fuzz.models import saved

pytest.importorskip("pandas")
SECONDS = 1.0  # of each leg
HAS_SCHEMAS = importlib.util.find_spec("agnoboost.files.archive") is not None


@pytest.fixture(scope="module")
def leg_of(tmp_path_factory):
    """Legs that are ready, each made once."""
    made = {}

    def get(name):
        if name not in made:
            folder, leg = tmp_path_factory.mktemp(name), LEGS[name]()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                saved(folder, ("stumps", "table", "policy")) if name == "models" else leg.prepare(folder)
                leg.start(folder)
            made[name] = leg
        return made[name]

    return get


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)
    monkeypatch.setattr("fuzz.kernels.KERNELS", {"plain": float("inf")})
    monkeypatch.setattr("agnoboost.kernels.dispatch.LOADING", float("inf"))


@pytest.mark.parametrize("name", ["models", "checkpoints", "journals", "table files"])
def test_a_moment_of_the_campaign_finds_nothing(leg_of, name):
    leg, until, number = leg_of(name), time.monotonic() + SECONDS, 0
    while time.monotonic() < until:
        recipe = leg.numbered(0, number)
        number += 1
        if recipe.get("depth") in ("structural", "corrected", "sealed") and not HAS_SCHEMAS:
            continue
        verdict = leg.run(recipe)
        assert not verdict.outcome.is_finding, (verdict, recipe, leg.told(recipe))
    assert number > 5


def run_changed(leg, base, change, depth, nonsense=True):
    """What comes of a file whose members were changed by hand, with checksums that fit."""
    leg.damaged = lambda recipe: (*apply(leg.bases[base], [], by_hand=change, sealed=depth == "sealed")[:2], nonsense)
    try:
        return leg.run({"base": base, "depth": depth, "changes": [], "kernels": "plain"})
    finally:
        del leg.damaged


@pytest.mark.skipif(not HAS_SCHEMAS, reason="needs the schemas of model files")
@pytest.mark.parametrize("name", MODELS)
def test_past_findings_in_model_files(leg_of, name):
    base, change = MODELS[name]
    nonsense = name != "a cut at the end of all numbers"  # which a table may have
    verdict = run_changed(leg_of("models"), base, change, "structural", nonsense)
    assert not verdict.outcome.is_finding, verdict


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_past_findings_in_checkpoints(leg_of, name):
    base, change, depth = CHECKPOINTS[name]
    verdict = run_changed(leg_of("checkpoints"), base, change, depth)
    assert verdict.outcome == "refused by us", verdict
