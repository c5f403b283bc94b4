import numpy as np
from numba import cuda


@cuda.jit
def scale(values):
    i = cuda.grid(1)
    values[i] *= 2


scale[1, 32](np.ones(32))  # ~ missing-visible-devices warning
