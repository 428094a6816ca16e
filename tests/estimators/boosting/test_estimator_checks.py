"""All of scikit-learn's own checks, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from agnoboost import AgnosticBoostingClassifier, FewLabelClassifier, TableClassifier

MODELS = [
    TableClassifier(),
    FewLabelClassifier(members=["linear"]),
    AgnosticBoostingClassifier(),
    AgnosticBoostingClassifier(weak_learner="stump", step_size=0.03),
    AgnosticBoostingClassifier(algorithm="algorithm2", batch_size=None),
]


@pytest.mark.filterwarnings("default")  # scikit-learn's checks warn themselves
@parametrize_with_checks(MODELS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
