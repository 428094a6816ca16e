"""What our classifiers ask of a backend, whichever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..basics.extras import require
from ..basics.typing import Floats, Ints, Matrix
from ..files.engine_trees import EngineTrees
from .objective import LabeledMetric, UnlabeledObjective, as_backend_labels


@dataclass(frozen=True)
class ProblemRows:
    """Rows for one problem: ``y`` is +1, -1 or another stand-in for the label, and 0 where unlabeled."""

    X: Matrix
    y: Floats
    weight: Floats
    categorical: tuple[int, ...] = ()

    @property
    def labels(self) -> Floats:
        """As backends get them: 1, 0, and -1 where unlabeled."""
        return np.asarray(as_backend_labels(self.y, self.y != 0))


class Ensemble(ABC):
    """A model of a backend: one margin a row, which is what its ``booster`` predicts."""

    booster: Any

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds were run."""

    @abstractmethod
    def margin(self, X: Matrix, rounds: int | None = None) -> Floats:
        """H(x), after some rounds or after all."""

    @abstractmethod
    def contributions(self, X: Matrix) -> Floats:
        """SHAP values of every feature, and a last column for what none explains; rows sum to the margin."""

    @abstractmethod
    def gains(self, features: int) -> Floats:
        """The total gain of the splits on each feature."""

    @abstractmethod
    def kept(self) -> EngineTrees:
        """The model in a form of our own, for files."""


@dataclass(frozen=True)
class TrainedEnsemble(Ensemble):
    """What a backend has trained, or made again of trees of ours."""

    booster: Any

    @classmethod
    @abstractmethod
    def of_trees(cls, trees: EngineTrees, columns: int, categorical: Collection[int]) -> Self:
        """The backend's own model with these trees."""


@dataclass(frozen=True, eq=False)
class LoadedEnsemble(Ensemble):
    """Trees from a file. They predict by themselves; the backend's own model is made of them when it is asked for."""

    trees: EngineTrees
    kind: type[TrainedEnsemble]
    columns: int
    categorical: tuple[int, ...]

    @property
    def rounds(self) -> int:
        return self.trees.rounds

    def margin(self, X: Matrix, rounds: int | None = None) -> Floats:
        return self.trees.margin(X, rounds)

    def gains(self, features: int) -> Floats:
        return self.trees.gains(features)

    def contributions(self, X: Matrix) -> Floats:
        return self._own.contributions(X)

    @property
    def booster(self) -> Any:
        return self._own.booster

    def kept(self) -> EngineTrees:
        return self.trees

    @cached_property
    def _own(self) -> TrainedEnsemble:
        return self.kind.of_trees(self.trees, self.columns, self.categorical)


@dataclass(frozen=True)
class Patience:
    """When to stop early: so many rounds without a new low on held-out rows, and not before ``least`` rounds."""

    rounds: int
    least: int

    def is_over(self, curve: list[float]) -> bool:
        done = len(curve)
        return done >= self.least and done - 1 - int(np.argmin(curve)) >= self.rounds


@dataclass(frozen=True)
class Watch:
    """Rows on which a run is watched."""

    rows: ProblemRows
    patience: Patience
    stretch: float = 1.0  # of the margins, before they are judged
    unlabeled_weight: float = 0.0  # of unlabeled rows among those that judge

    @property
    def metric(self) -> LabeledMetric:
        return LabeledMetric(stretch=self.stretch, soft=True, unlabeled_weight=self.unlabeled_weight)


@dataclass(frozen=True)
class Backend(ABC):
    """Trains ensembles with our objective; ``params`` are in its own words."""

    params: tuple[tuple[str, Any], ...] = ()

    package: ClassVar[str]  # what it is imported as, and the name of our extra
    oldest: ClassVar[str]  # the first version that we can use
    ensemble: ClassVar[type[TrainedEnsemble]]
    aliases: ClassVar[Mapping[str, tuple[str, ...]]]  # other names of the parameters that we set

    @classmethod
    def of(
        cls, *, max_depth: int, learning_rate: float, device: str, n_jobs: int | None, seed: int, params: dict[str, Any]
    ) -> Self:
        """Our settings without those that the user gives himself, under whatever name, and then his."""
        ours = cls._ours(max_depth, learning_rate, device, n_jobs or 0, seed)
        kept = {key: value for key, value in ours.items() if not {key, *cls.aliases.get(key, ())} & set(params)}
        return cls(tuple({**kept, **params}.items()))

    @staticmethod
    @abstractmethod
    def _ours(max_depth: int, learning_rate: float, device: str, threads: int, seed: int) -> dict[str, Any]:
        """Our settings in the backend's own words."""

    @abstractmethod
    def train(
        self, rows: ProblemRows, objective: UnlabeledObjective, rounds: int, watch: Watch | None = None
    ) -> tuple[Ensemble, list[float]]:
        """An ensemble, and the potential on the watched rows after 1, 2, ... rounds."""

    @classmethod
    def load(cls) -> Any:
        """The backend's module, or an error that says how to get it."""
        module = require(cls.package, cls.package)
        if _numbers(module.__version__) < _numbers(cls.oldest):
            raise ImportError(
                f"{cls.package} must be of version {cls.oldest} or later. Got {module.__version__}. Update it with: "
                f"pip install -U 'agnoboost[{cls.package}]'"
            )
        return module


def _numbers(text: str) -> tuple[int, ...]:
    """
    >>> _numbers("3.2.0") < _numbers("10.0rc1")
    True
    """
    digits = ["".join(filter(str.isdigit, part)) for part in text.split(".")[:2]]
    return tuple(int(part or 0) for part in digits)


def feature_numbers(names: list[str]) -> Ints:
    """f3 or Column_3 as 3: how the backends name columns that have no name."""
    return np.array([int("".join(filter(str.isdigit, name))) for name in names], dtype=np.int64)
