"""All legs, in the order in which a campaign runs them."""

from ..leg import Leg
from .checkpoints import Checkpoints
from .journals import Journals
from .kills import Kills
from .many_rows import ManyRows
from .models import ModelFiles
from .surroundings import Surroundings
from .table_files import TableFiles
from .tables import Tables
from .trial import Trial

ALL = (ModelFiles, Checkpoints, Journals, TableFiles, Tables, Kills, Surroundings, ManyRows, Trial)
LEGS: dict[str, type[Leg]] = {leg.name: leg for leg in ALL}
