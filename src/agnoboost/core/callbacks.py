"""Callbacks: called after each round; one that returns True ends the run."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..basics.checks import as_labels, as_matrix, check_count
from .history import Progress
from .tape import Margins


class Callback(Protocol):
    """Return True to stop after this round."""

    def __call__(self, progress: Progress, /) -> bool | None: ...


class EarlyStopping:
    """Stop when the correlation with held-out labels has not risen for ``patience`` rounds.

    The same labels may serve the selection afterwards, but no longer an honest estimate of accuracy. An instance
    watches one run.

    Parameters
    ----------
    X : array of shape (rows, features)
        Held-out rows.
    y : array of shape (rows,)
        Their labels, in {-1, +1}.
    patience : int, default=20
        For how many rounds to wait.
    """

    def __init__(self, X: npt.ArrayLike, y: npt.ArrayLike, *, patience: int = 20):
        self._X = as_matrix(X)
        self._y = as_labels(y, len(self._X))
        self._patience = check_count(patience, "patience")
        self._margins = Margins()
        self._best = float(self._y.mean())  # H_1 = 0 predicts +1 everywhere
        self._best_round = 0

    def __call__(self, progress: Progress, /) -> bool:
        margin = self._margins.at(progress.tape, self._X)
        score = float(np.mean(np.where(margin >= 0, self._y, -self._y)))
        if score > self._best:
            self._best, self._best_round = score, progress.round.number
        return progress.round.number - self._best_round >= self._patience


class ProgressBar:
    """A bar on the terminal with the edge and the potential; needs the extra ``progress``."""

    def __init__(self, description: str = "boosting") -> None:
        try:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            raise ImportError(
                "A progress bar needs the package rich. Install it with: pip install 'agnoboost[progress]'"
            ) from None
        self._bar: Any = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[figures]}"),
            transient=False,
        )
        self._description = description
        self._task: Any = None

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, progress: Progress, /) -> None:
        record = progress.round
        if self._task is None:
            self._task = self._bar.add_task(self._description, total=progress.rounds, figures="")
        figures = f"case {record.branch}  edge {record.edge:.4f}  potential {record.potential:.4f}"
        self._bar.update(self._task, completed=record.number, figures=figures)
