"""Tables read from files to the last bit, whatever the version of pandas."""


def read_exactly(path):
    """Before pandas 3 the default was quicker, and off by one bit now and then; from then on it cannot be chosen."""
    import pandas as pd

    old = int(pd.__version__.split(".")[0]) < 3
    return pd.read_csv(path, **({"float_precision": "round_trip"} if old else {}))
