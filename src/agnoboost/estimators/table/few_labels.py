"""The classifier for few labels under the name that it first had."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from .estimator import TableClassifier
from .members import chosen

FIRST_NAMES = ("stumps", "trees", "linear", "gaussian", "laplace")


@dataclass(eq=False, repr=False)
class FewLabelClassifier(TableClassifier):
    """:class:`TableClassifier`, with the members that it had when it was for 50 to 500 labels only.

    Kept for what was written with it: five members, whatever the number of labels.

    Parameters
    ----------
    effort : {"full", "fast"}, default="full"
        As for :class:`TableClassifier`.
    members : "all" or list of {"stumps", "trees", "linear", "gaussian", "laplace"}, default="all"
        Which of the five.
    n_jobs, class_weight, tune_threshold, categorical_features, missing_label, label_model, random_state, verbose
        As for :class:`TableClassifier`.
    """

    effort: str = field(default="full", kw_only=True)
    members: Any = "all"  # the first one, as it was
    n_jobs: int | None = field(default=None, kw_only=True)

    def _names(self, rows: int) -> tuple[str, ...]:
        wanted = FIRST_NAMES if isinstance(self.members, str) and self.members == "all" else self.members
        listed = [wanted] if isinstance(wanted, str) or not hasattr(wanted, "__iter__") else list(wanted)
        if not listed or not set(listed) <= set(FIRST_NAMES):
            raise ValueError(f"members must be 'all' or some of {', '.join(FIRST_NAMES)}. Got {self.members!r}.")
        return chosen(["small trees" if name == "trees" else name for name in listed], rows, self.effort)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabeled: Any = None, machine_labels: Any = None
    ) -> Self:
        """Train, as :meth:`TableClassifier.fit` does."""
        super().fit(X, y, sample_weight, X_unlabeled=X_unlabeled, machine_labels=machine_labels)
        self.weights_ = [
            {"trees" if name == "small trees" else name: weight for name, weight in own.items()}
            for own in self.weights_
        ]
        return self
