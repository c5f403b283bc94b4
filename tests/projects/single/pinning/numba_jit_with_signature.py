import os

from numba import cuda


@cuda.jit("void(float32[:])")
def scale(values):
    i = cuda.grid(1)
    values[i] *= 2


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
