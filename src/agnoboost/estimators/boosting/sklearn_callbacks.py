"""scikit-learn's callbacks (version 1.9 and later), where they exist."""

from __future__ import annotations

from typing import Any

from ...core.callbacks import Callback
from ...core.history import Progress

__all__ = ["CallbackSupport", "RoundTasks", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # an earlier scikit-learn: the same names, doing nothing

    class CallbackSupport:  # type: ignore[no-redef]
        """Stands in for scikit-learn's mixin."""

    def with_callbacks(method: Any) -> Any:
        """Stands in for scikit-learn's decorator."""
        return method


class RoundTasks:
    """Tells scikit-learn's callbacks of every round; one that asks to stop ends the run."""

    def __init__(self, estimator: Any, rounds: int):
        self._estimator = estimator
        self.callbacks: tuple[Callback, ...] = ()
        if not getattr(estimator, "_skl_callbacks", None):
            return
        self._context = estimator._init_callback_context(max_subtasks=rounds)
        self._context.call_on_fit_task_begin(estimator=estimator)
        self.callbacks = (self._round,)

    def _round(self, progress: Progress) -> bool:
        task = self._context.subcontext(task_name="round")
        task.call_on_fit_task_begin(estimator=self._estimator)
        return bool(task.call_on_fit_task_end(estimator=self._estimator))

    def done(self) -> None:
        """After the last round."""
        if self.callbacks:
            self._context.call_on_fit_task_end(estimator=self._estimator)
