"""scikit-learn estimators over XGBoost and LightGBM that use unlabeled rows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..basics.checks import check_count, check_positive
from ..basics.typing import Floats, Matrix
from ..estimators.choosing import ChoosingClassifier, check_choosing, usual_rounds
from ..estimators.data import Data
from ..estimators.held_out_choice import Choice
from .backend import Backend
from .documentation import on_one_machine
from .lightgbm_backend import LightGBM
from .objective import UnlabeledObjective
from .trainer import BackendTrainer, Ensembles
from .xgboost_backend import XGBoost

# Parameters that users must leave to us, by all their names.
OURS = frozenset(
    {"objective", "objective_type", "app", "application", "loss", "base_score", "num_class", "num_classes"}
    | {"metric", "metrics", "metric_types", "eval_metric"}
)


TOTAL_STEP = 3.0  # rounds times learning rate, unless held-out labels speak clearly for another number


@dataclass(eq=False, repr=False)
class BackendClassifier(ChoosingClassifier):
    """What both share; see the subclasses."""

    _backend_type: ClassVar[type[Backend]]

    n_estimators: int = 300
    _: KW_ONLY
    learning_rate: float = 0.1
    max_depth: int = 3
    potential: str = "huber"
    shift: float = 1.0
    device: str = "cpu"
    params: dict[str, Any] | None = None

    # ------------------------------------------------------------------ fitting

    def _check_parameters(self) -> None:
        self._backend_type.load()
        check_count(self.n_estimators, "n_estimators")
        check_positive(self.learning_rate, "learning_rate")
        check_count(self.max_depth, "max_depth")
        check_choosing(self)
        UnlabeledObjective(self.potential, shift=self.shift)  # which checks both
        if reserved := sorted(OURS & set(self.params or {})):
            raise ValueError(f"params must leave the objective to us. Got {', '.join(reserved)}. Leave them out.")

    def _trainer(self, data: Data | None) -> BackendTrainer:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        own = {name: getattr(self, name) for name in ("max_depth", "learning_rate", "device", "n_jobs")}
        backend = self._backend_type.of(**own, seed=seed, params=self.params or {})
        return BackendTrainer(
            backend,
            self.potential,
            self.n_estimators,
            usual_rounds(self.n_estimators, self.learning_rate, TOTAL_STEP),
            len(self.classes_),
            seed,
            tuple(self._encoder.categorical),
            float(self.shift),
        )

    def _train(self, trainer: BackendTrainer, data: Data, choice: Choice) -> None:
        self._keep(trainer.run(data, choice.unlabeled_weight, choice.rounds), choice)

    def _keep(self, model: Ensembles, choice: Choice) -> None:
        self._model = model
        self.choice_ = choice
        self.n_rounds_ = max(ensemble.rounds for ensemble in model.each)

    # --------------------------------------------------------------- prediction

    def _margins(self, rows: Matrix) -> Floats:
        return self._model.margins(self.n_rounds_, rows)

    def pred_contribs(self, X: Any) -> Floats:
        """SHAP values: a column for each feature and a last one for what none explains; rows sum to the margin.

        Shape (rows, features + 1), or (rows, classes, features + 1) if there are more than two classes.
        """
        rows = self._rows(X)
        each = [self._model.stretch * ensemble.contributions(rows) for ensemble in self._model.each]
        parts = [np.hstack([self._encoder.by_source(own[:, :-1]), own[:, -1:]]) for own in each]
        return parts[0] if len(parts) == 1 else np.stack(parts, axis=1)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in the gain of all splits."""
        check_is_fitted(self, "_cut")
        total = np.sum([ensemble.gains(len(self._matrix_names)) for ensemble in self._model.each], axis=0)
        whole = total.sum()
        return self._encoder.by_source(np.asarray(total / whole if whole > 0 else total))

    def get_booster(self) -> Any:
        """The backend's own Booster; a list of them if there are more than two classes.

        It predicts margins (before they are brought to scale, if ``shift`` is above 1), and knows columns by number.
        """
        check_is_fitted(self, "_cut")
        found = [ensemble.booster for ensemble in self._model.each]
        return found[0] if len(found) == 1 else found


class XGBAgnosticClassifier(BackendClassifier):
    __doc__ = on_one_machine("XGBoost")
    _backend_type = XGBoost


class LGBMAgnosticClassifier(BackendClassifier):
    __doc__ = on_one_machine("LightGBM")
    _backend_type = LightGBM
