"""Training on a dask cluster; here a local one with two workers.

Needs: pip install 'agnoboost[dask]'
"""

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from agnoboost.integrations.dask import DaskXGBAgnosticClassifier


def main():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        rng = da.random.default_rng(0)
        table = rng.normal(size=(200_000, 10), chunks=(50_000, 10)).persist()
        truth = (table[:, 0] + table[:, 1] * table[:, 2] > 0).astype(float)
        has_label = rng.random(200_000, chunks=50_000) < 0.01
        labels = da.where(has_label, truth, np.nan).persist()

        model = DaskXGBAgnosticClassifier(
            random_state=0, verbose=1, checkpoint="run.ubj"
        ).fit(table, labels)
        right = (model.predict(table) == truth)[da.isnan(labels)]
        print(f"accuracy on the rows without label: {right.mean().compute():.3f}")


if __name__ == "__main__":
    main()
