"""Tables for reports: messy ones, and names that try to get out of the text they stand in."""

import numpy as np

HOSTILE = "</script><script>window.hurt=1</script>\"'&<img src=x onerror=window.hurt=1>"


def table(classes=2, rows=240, labels=120, seed=0):
    import pandas as pd

    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            HOSTILE: rng.normal(size=rows),
            "kind & co": rng.choice(["a<b", HOSTILE, "c"], rows),
            "z": rng.normal(size=rows),
            "same": 1.0,
            "number": np.arange(rows),
        }
    )
    X.loc[::7, "z"] = np.nan
    code = (X[HOSTILE] > 0).astype(int) + (classes > 2) * (X["z"] > 0.5).astype(int)
    y = np.array([HOSTILE, "yes", 'per"haps'], dtype=object)[code]
    y[rng.random(rows) < 0.05] = "yes"
    y[labels:] = None
    return X, y


def many(classes=20, columns=200, rows=300, labels=200, seed=0):
    import pandas as pd

    rng = np.random.default_rng(seed)
    code = np.arange(rows) % classes
    X = rng.normal(size=(rows, columns))
    X[:, :8] += 2.0 * rng.normal(size=(classes, 8))[code]
    y = np.array([f"class {i}" for i in range(classes)], dtype=object)[code]
    y[labels:] = None
    return pd.DataFrame(X, columns=[f"column {i}" for i in range(columns)]), y
