import os

from numba import cuda


@cuda.jit
def scale(values):
    i = cuda.grid(1)
    values[i] *= 2


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
print(cuda.is_available())
