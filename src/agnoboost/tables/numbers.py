"""Tables for models that need numbers everywhere."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def into_numbers(columns: int, categorical: Collection[int]) -> Any:
    """A transformer: missing values filled in, numbers scaled, categories as 0/1 columns."""
    numeric = [column for column in range(columns) if column not in categorical]
    return make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()), numeric),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), sorted(categorical)),
    )
