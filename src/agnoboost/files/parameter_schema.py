"""Parameters in files: plain values, lists and dicts of such, label models, and our own weak learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..basics.fact_schema import Anything, FactSchema, ListOf, MapOf, OneOf, PlainValue, Record, Sizes, refuse
from ..core.learners import LEARNERS, ClassifierLearner
from ..labels import LABEL_MODELS

MOST_THREADS = 1024
DEEPEST = 8  # lists within lists
SAVABLE = tuple(word for word, kind in LEARNERS.items() if not issubclass(kind, ClassifierLearner))


@dataclass(frozen=True)
class NestedValue(FactSchema):
    """A plain value, or lists of such within lists."""

    levels: int = DEEPEST
    words = "a plain value, or lists of such"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if isinstance(value, list) and self.levels:
            ListOf(NestedValue(self.levels - 1)).check(value, where, sizes)
        else:
            PlainValue().check(value, where, sizes)


@dataclass(frozen=True)
class PairsOf(FactSchema):
    """The entries of a dict, as pairs."""

    words = "a list of pairs"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        ListOf(ListOf(NestedValue(), 2)).check(value, where, sizes)
        ListOf(PlainValue(), distinct=True).check([key for key, _ in value], where, sizes)


BINS = Record({"cuts": ListOf(NestedValue(1)), "categorical": ListOf(PlainValue())})


@dataclass(frozen=True)
class LabelModelForm(FactSchema):
    """A label model and its fields: plain values, lists and dicts of such, or lists of label models."""

    levels: int = DEEPEST
    words = "an object with `label_model` and its `fields`"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        Record({"label_model": OneOf(tuple(LABEL_MODELS)), "fields": MapOf(Anything())}).check(value, where, sizes)
        for name, one in value["fields"].items():
            self._check_field(one, f"{where}.{name[:60]}", sizes)

    def _check_field(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            PlainValue().check(value, where, sizes)
            return
        if "dict" in value:
            _FORMS["dict"].check(value, where, sizes)
            return
        Record({"list": ListOf(Anything())}).check(value, where, sizes)
        for number, one in enumerate(value["list"]):
            deeper = isinstance(one, dict) and self.levels > 0
            kind = LabelModelForm(self.levels - 1) if deeper else NestedValue()
            kind.check(one, f"{where}.list[{number}]", sizes)


_FORMS = {
    "dict": Record({"dict": PairsOf()}),
    "list": Record({"list": ListOf(NestedValue())}),
    "label_model": LabelModelForm(),
    "learner": Record({"learner": OneOf(SAVABLE), "fields": MapOf(PlainValue())}),
}


@dataclass(frozen=True)
class Parameter(FactSchema):
    """A parameter of an estimator; see :func:`agnoboost.files.common.pack_parameter`."""

    words = "a plain value, or an object with `dict`, `list`, `label_model` or `learner`"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            PlainValue().check(value, where, sizes)
            return
        form = next((schema for name, schema in _FORMS.items() if name in value), None)
        if form is None:
            refuse(where, self.words, value)
        if "learner" in value and isinstance(value.get("fields"), dict) and "bins" in value["fields"]:
            BINS.check(value["fields"]["bins"], f"{where}.bins", {})
            value = {**value, "fields": {name: one for name, one in value["fields"].items() if name != "bins"}}
        form.check(value, where, sizes)


@dataclass(frozen=True)
class Parameters(FactSchema):
    """Parameters by name. That the class has such a parameter is found out when it is made."""

    words = f"by name: {Parameter.words}"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        MapOf(Parameter()).check(value, where, sizes)
        threads = value.get("n_jobs")
        if threads is not None and not (isinstance(threads, int) and -MOST_THREADS <= threads <= MOST_THREADS):
            refuse(f"{where}.n_jobs", f"null, or a whole number up to {MOST_THREADS}", threads)
