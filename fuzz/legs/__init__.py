"""All legs, in the order in which a campaign runs them."""

from ..leg import Leg
from .checkpoints import Checkpoints
from .dask_kills import DaskKills
from .full_disk import FullDisk
from .journals import Journals
from .kills import Kills
from .large_files import LargeFiles
from .many_rows import ManyRows
from .models import ModelFiles
from .surroundings import Surroundings
from .table_files import TableFiles
from .tables import Tables
from .trial import Trial

FILES = (ModelFiles, LargeFiles, Checkpoints, Journals, TableFiles)
ALL = (*FILES, Tables, Kills, DaskKills, FullDisk, Surroundings, ManyRows, Trial)
LEGS: dict[str, type[Leg]] = {leg.name: leg for leg in ALL}
