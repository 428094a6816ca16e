"""What a model does: Shapley values of rows, importances of columns, effects of one column and of two, and plots."""

from .displays import EffectDisplay, ImportanceDisplay, ShapleyDisplay
from .effects import Effect, effect
from .permutation import Importances, permutation_importance
from .reasons import Reason, RowReasons, reasons
from .shapley import ShapleyValues, shapley_values

__all__ = [
    "Effect",
    "EffectDisplay",
    "ImportanceDisplay",
    "Importances",
    "Reason",
    "RowReasons",
    "ShapleyDisplay",
    "ShapleyValues",
    "effect",
    "permutation_importance",
    "reasons",
    "shapley_values",
]
