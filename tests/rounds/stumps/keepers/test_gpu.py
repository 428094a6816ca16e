"""The GPU's keeper: the plain twin's answers, from its kernels on the host, and on a real GPU where there is one."""

import numpy as np
from emulated_gpu import EmulatedDevice, needs_compiler, needs_gpu
from keeper_contract import check_keeper

from agnoboost.kernels.gpu.binning import stride_of
from agnoboost.kernels.gpu.device import CudaDevice
from agnoboost.rounds.stumps.keepers.gpu import GpuKeeper


def keeper_on(device, most_joint_bytes=None):
    def make(counting, codes, weights, labels):
        padded = np.zeros((len(codes), stride_of(codes.shape[1])), dtype=np.uint8)
        padded[:, : codes.shape[1]] = codes
        keeper = GpuKeeper(counting, device, device.array(padded), weights, labels)
        if most_joint_bytes is not None:
            keeper.joints.most_bytes = most_joint_bytes
        return keeper

    return make


@needs_compiler
def test_its_kernels_agree_with_the_plain_keeper():
    check_keeper(keeper_on(EmulatedDevice()))


@needs_compiler
def test_joint_histograms_make_room_for_others():
    check_keeper(keeper_on(EmulatedDevice(), most_joint_bytes=2**18), seeds=range(4), kinds=("different weights",))


@needs_gpu
def test_on_a_gpu_it_agrees_with_the_plain_keeper():
    check_keeper(keeper_on(CudaDevice()))
    check_keeper(keeper_on(CudaDevice()), seeds=range(3), rows=(100_000, 300_000))
