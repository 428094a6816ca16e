"""Full-batch rounds on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...basics.typing import Ints, Rng
from ...basics.user_warnings import tell
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...kernels.dispatch import LOADING
from ...kernels.gpu.binning import encode
from ...kernels.gpu.device import CudaDevice, Device, why_no_gpu
from ..engine import Settings
from .compiled import IncrementalStumps, RebuiltStumps
from .counting import Counting
from .in_numpy import why_not_full_batch
from .keepers.base import Keeper
from .problem import Problem


class GpuStumps(IncrementalStumps):
    """Rounds whose rows lie on a GPU: incremental with Huber's potential, and from all rows with any other.

    Where the memory of the GPU does not suffice, rounds are run on the host, with a warning.
    """

    name = "gpu"
    on_device = True
    device: ClassVar[Callable[[], Device]] = CudaDevice

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        from .device_rounds import DeviceRounds  # not before: it loads numba
        from .keepers.gpu import GpuKeeper

        super().__init__(booster, learner, rounds, rng, settings)
        incremental = self.problem.incremental
        if isinstance(self._board.keeper, GpuKeeper):
            self._kind = DeviceRounds
        else:  # what a run says of itself
            vars(self)["name"] = IncrementalStumps.name if incremental else RebuiltStumps.name
        if not incremental:
            self._rebuild_until = self.problem.rounds

    @classmethod
    def why_not(cls, problem: Problem) -> str | None:
        return why_not_full_batch(problem) or why_no_gpu()

    @classmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        return LOADING  # about as much as CuPy; nobody else takes rows that lie on a GPU

    def _keep(self, counting: Counting, weights: Any, labels: Ints) -> Keeper:
        """The rows on the GPU, or else on the host."""
        from .keepers.gpu import GpuKeeper, bytes_needed

        device, layout, tables = type(self).device(), self.encoding.layout, self.problem.tables
        rows = sum(map(len, tables))
        needed, free = bytes_needed(rows, len(layout.bins), layout.size), device.free_bytes()
        if needed > free:
            tell(
                f"Rounds are run on the host: {rows} rows of {len(layout.bins)} features need about "
                f"{needed / 2**30:.1f} GiB on the GPU, where {free / 2**30:.1f} GiB are free. The model is the same.",
                RuntimeWarning,
            )
            return super()._keep(counting, weights, labels)
        return GpuKeeper(counting, device, encode(device, layout, tables, self._threads), weights, labels)
