"""Boosters of depth-1 trees behind one call: fit(X, y, rounds). Every one bins its features and uses two threads."""

import os

import numpy as np

THREADS = 2
TOTAL_STEP = 2.0  # rounds times step, for agnoboost


def agnoboost(engine):
    def fit(X, y, rounds):
        """A tenth of the rows labeled, the others unlabeled: all of them count in every round."""
        import agnoboost as ab

        signs, labeled = np.where(y, 1, -1), len(X) // 10
        booster = ab.algorithm1((X[:labeled], signs[:labeled]), X[labeled:], step=TOTAL_STEP / rounds)
        learner = ab.HistogramStumpLearner.from_data([X[:labeled], X[labeled:]])
        return ab.boost(booster, learner, rounds=rounds, rng=0, engine=engine, threads=THREADS)

    return fit


def lightgbm(X, y, rounds):
    import lightgbm

    settings = {"num_threads": THREADS, "verbose": -1, "objective": "binary", "num_leaves": 2, "max_depth": 1}
    return lightgbm.train(settings, lightgbm.Dataset(X, y, params=settings), rounds)


def xgboost(X, y, rounds):
    import xgboost

    settings = {"objective": "binary:logistic", "max_depth": 1, "tree_method": "hist", "nthread": THREADS}
    return xgboost.train(settings, xgboost.QuantileDMatrix(X, y, nthread=THREADS), rounds)


def hist_gradient_boosting(X, y, rounds):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=rounds, max_depth=1, early_stopping=False).fit(X, y)


def catboost(X, y, rounds):
    import catboost

    return catboost.CatBoostClassifier(
        iterations=rounds,
        depth=1,
        learning_rate=0.1,
        boosting_type="Plain",
        bootstrap_type="No",
        random_strength=0,
        thread_count=THREADS,
        verbose=0,
        allow_writing_files=False,
    ).fit(X, y)


def ebm(X, y, rounds):
    """A round of EBM goes through all features: it is counted as that many stumps."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(
        interactions=0,
        outer_bags=1,
        max_leaves=2,
        max_rounds=max(1, rounds // X.shape[1]),
        early_stopping_rounds=0,
        validation_size=0,
        greedy_ratio=0,
        cyclic_progress=True,
        smoothing_rounds=0,
        n_jobs=1,
    ).fit(X, y)


OURS = {"agnoboost": agnoboost("incremental"), "agnoboost, rebuild": agnoboost("rebuild")}
PEERS = {
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "HistGradientBoosting": hist_gradient_boosting,
    "CatBoost": catboost,
    "EBM": ebm,
}


def make(rows, features, seed=0):
    """An additive signal in ten features, a tenth of the labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features))
    y = (X[:, :10].sum(axis=1) > 0) ^ (rng.random(rows) < 0.1)
    return X, y.astype(np.int32)


def use_threads():
    """For those that ask the environment; before they are imported."""
    os.environ["OMP_NUM_THREADS"] = str(THREADS)
