"""Cases with compiled kernels, and without: small work is done without them, so that they have to be asked for."""

import os

from agnoboost.kernels import dispatch

# How much work must wait for compiled kernels to be loaded: none, or any.
KERNELS = {"compiled": 0.0, "plain": float("inf")}
if os.environ.get("FUZZ_PLAIN"):  # they take a minute to make for the first time
    KERNELS = {"plain": float("inf")}


def use(kernels: str) -> None:
    """From here on."""
    dispatch.LOADING = KERNELS[kernels]
