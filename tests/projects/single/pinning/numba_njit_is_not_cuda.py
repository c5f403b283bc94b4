import os

import numba
from numba import njit, prange


@njit(parallel=True)
def total(values):
    result = 0.0
    for i in prange(len(values)):
        result += values[i]
    return result


os.environ["CUDA_VISIBLE_DEVICES"] = "0"
print(total([1.0, 2.0]))
