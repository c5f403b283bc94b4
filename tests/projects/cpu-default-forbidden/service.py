import tensorflow
import torch  # ~ gpu-import-in-cpu-mode error
from numba import cuda  # ~ gpu-import-in-cpu-mode error
from cupy.cuda import Device  # ~ gpu-import-in-cpu-mode error
import numba
import torchvision  # ~ gpu-import-reached error
