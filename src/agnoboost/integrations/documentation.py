"""What the classifiers over XGBoost and LightGBM say of themselves: the same sentences, alone and on Dask."""

from __future__ import annotations

import re

_PARAMETERS = """\
    n_estimators : int, default=300
        The most rounds; how many are used is chosen on held-out labels.
    learning_rate : float, default=0.1
        How much each round counts.
    max_depth : int, default=3
        Of the trees.
    unlabeled_weight : float in [0, 1] or "auto", default="auto"
        1 is the paper's estimate, 0 does without the unlabeled rows. "auto" chooses among 0, 0.5 and 1 on held-out
        labels: unlabeled rows are used only if that is better by more than two standard errors (``choice_``).
    potential : {{"huber", "pseudo_huber"}}, default="huber"
        Whose gradients the backend gets.
    shift : float >= 1, default=1.0
        How many times more likely a region can be among labeled than among unlabeled rows.
    validation_fraction : float, "auto" or None, default="auto"
        Share of the labeled rows that is held out, in turn, to choose rounds and unlabeled weight; the model is then
        trained on all labels. "auto" is 0.2 with at least 100 labels and 5 a class. Where nothing is held out, or the
        held-out labels do not speak clearly for another number, rounds go up to a total step of 3.
{own}\
    tune_threshold : bool or dict, default=False
        For two classes: move the decision threshold to the best balanced accuracy on held-out labels; or, with what it
        costs to miss a row of each class, as in ``{{"fraud": 20, "fine": 1}}``, to the lowest cost.
    missing_label : default="auto"
        The mark of unlabeled rows in y, if it is another one; None if every value is a class.
    device : str, default="cpu"
        {device}
    params : dict, optional
        Any other parameters of {backend}, by its own names; they go before ours.
    random_state : int, RandomState or None, default=None
        The same number gives the same model.
    n_jobs : int or None, default=None
        Threads of the backend; None for all.
    verbose : int, default=0
        1 prints what was chosen and why.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    n_rounds_ : int
        Rounds in the model.
    choice_ : Choice
        Rounds and unlabeled weight, and the evidence for them.
    n_labeled_, n_unlabeled_ : int
        Rows that were handed over.
    threshold_ : float or None
        From which probability of ``classes_[1]`` on ``predict`` says that class; None if ``tune_threshold`` is False.
    feature_importances_ : array of shape (n_features,)
        The share of each feature in the gain of all splits.
    n_features_in_, feature_names_in_
        Number and names of the columns.
    """

_ALONE = """{backend} for tables in which few rows are labeled, and some labels are wrong.

    The conventions are those of :class:`~agnoboost.AgnosticBoostingClassifier`: unlabeled rows are marked in ``y`` by
    NaN, None or pandas.NA, or by -1 where at least two other classes occur, or passed as ``X_unlabeled``; missing
    values and categorical columns need no preparation; more than two classes are handled one against the rest.

    Needs the extra ``{extra}``.

    Parameters
    ----------
"""
_OF_ONE_MACHINE = """\
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    categorical_features : "auto", None or list of columns, default="auto"
        "auto" takes the columns of categorical or text type of a data frame.
    label_model : LabelModel or None, default=None
        What labels stand for, if not for themselves: soft labels, votes, flipped labels, or positives only (see
        :mod:`agnoboost.labels`).
"""

_ON_DASK = """{backend} on dask DataFrames and arrays of numbers, for labels with gaps.

    What is chosen on labels is chosen in this process; the final run is the backend's own distributed training.
    ``class_weight``, ``sample_weight``, label models, categorical columns and validation rows are not supported here.

    Needs the extra ``dask``.

    Parameters
    ----------
"""
_OF_DASK = """\
    checkpoint : path, optional
        {checkpoint}
    checkpoint_every : int, default=50
        Rounds between two writes of that file.
"""
KEPT = """A file in which the booster is kept every ``checkpoint_every`` rounds; a fit that was stopped goes on from it.
        A file for each class (``path.0``, ...) if there are more than two. It is XGBoost's own UBJSON, and is deleted
        when all is done. It needs a ``random_state``, and one more pass over the rows for a fingerprint."""
NOT_KEPT = "LightGBM keeps none: leave it out."

DEVICES = {
    "XGBoost": '"cuda" keeps margins and gradients on the GPU (needs cupy).',
    "LightGBM": 'LightGBM\'s device_type: "gpu" and "cuda" need a build for them, and get gradients from the host.',
}


def on_one_machine(backend: str) -> str:
    """The docstring of an estimator over this backend."""
    text = _ALONE + _PARAMETERS
    return text.format(backend=backend, extra=backend.lower(), device=DEVICES[backend], own=_OF_ONE_MACHINE)


def on_dask(backend: str, checkpoint: str) -> str:
    """The docstring of an estimator that trains on a cluster."""
    own = _OF_DASK.format(checkpoint=checkpoint)
    return (_ON_DASK + _PARAMETERS).format(backend=backend, device=DEVICES[backend], own=own)


def parameters_of(kind: type, but: tuple[str, ...]) -> str:
    """What a class says of its parameters and attributes, without some of them."""
    text = kind.__doc__ or ""  # nothing with python -OO
    start, end = text.find("    Parameters\n"), text.find("    Examples\n")
    entries = re.split(r"(?m)^(?=    \S)", text[start:end] if start >= 0 else "")
    return "".join(entry for entry in entries if entry.split(" : ")[0].strip() not in but).rstrip() + "\n    "
