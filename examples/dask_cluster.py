"""Training on a dask cluster; here a local one with two workers. Needs: pip install 'agnoboost[dask]'"""

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from agnoboost.integrations.dask import DaskXGBAgnosticClassifier


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 10)).astype(np.float32)
    truth = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(float)
    y = np.where(rng.random(len(truth)) < 0.01, truth, np.nan)  # one row in a hundred has a label

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        table, labels = da.from_array(X, chunks=(50_000, 10)), da.from_array(y, chunks=50_000)
        model = DaskXGBAgnosticClassifier(random_state=0, verbose=1, checkpoint="run.ubj").fit(table, labels)
        right = (model.predict(table) == truth)[np.isnan(y)]
        print(f"accuracy on the rows without label: {right.mean().compute():.3f}")


if __name__ == "__main__":
    main()
