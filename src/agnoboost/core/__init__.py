"""The paper's parts, and everything that a researcher needs to make others: all importable from here.

An algorithm is a :class:`Booster`: a sampler (where batches come from, see ``samplers``), a rule (how to step), and a
way to show batches to the weak learner. ``recipes`` has the named ones, a few lines each; :func:`agnoboost.boost` runs
any of them. ``agnoboost.testing`` checks parts of your own.
"""

from .batch import Batch, Realize, bernoulli, bootstrap, fractional, reweighted
from .booster import Booster
from .history import History, Progress, Round
from .learners import LEARNERS, Constant, Hypothesis, WeakLearner
from .potentials import (
    POTENTIALS,
    GhaiSingh,
    Huber,
    Madaboost,
    MarginLoss,
    Potential,
    PseudoHuber,
    Separable,
    SmoothHinge,
)
from .recipes import RECIPES, Recipe
from .rules import AdaStep, Decision, EdgeStep, FixedStep, LargerStep, ProjectedStep, Rule, Vote
from .samplers import (
    SAMPLERS,
    Change,
    Draw,
    Fresh,
    FreshBelowPar,
    LinearForm,
    LinearPart,
    Reuse,
    Sampler,
    WithLabels,
)
from .selection import Selection, select
from .sources import InPlace, OnePass, Pool, Sample, Source, SourceExhausted, Stream, as_source
from .tape import Add, AddWithin, Margins, Shrink, Step, Tape
