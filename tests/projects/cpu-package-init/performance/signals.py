import numpy as np
from numba import njit


@njit
def moving_average(values):
    return np.mean(values)
