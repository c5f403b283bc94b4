from numba import cuda as nc  # ~ gpu-import-in-cpu-mode error
from numba.cuda import jit  # ~ gpu-import-in-cpu-mode error
import numba.cuda.random  # ~ gpu-import-in-cpu-mode error
import numba
from numba import njit, prange
import torch as t  # ~ gpu-import-in-cpu-mode error
import torch.nn.functional as F  # ~ gpu-import-in-cpu-mode error
from torch.nn import *  # ~ gpu-import-in-cpu-mode error
