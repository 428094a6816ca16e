"""How rounds are run: one protocol (``engine``), one list of engines and one way to run a booster (``boosting``).

``plain`` is the loop as the paper writes it; ``stumps`` and ``parities`` give the same tapes sooner. ``many`` runs many
boosters at once; ``checkpoint`` keeps the state of long runs.
"""

from ..basics.errors import CheckpointError
from .boosting import ENGINES, Run, boost, pick
from .engine import Engine
from .many import boost_many
