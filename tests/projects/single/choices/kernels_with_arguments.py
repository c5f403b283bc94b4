import numpy
from numba import cuda


@cuda.jit(fastmath=True)
def scale(values):
    values[0] *= 2


@cuda.jit(device=True)
def helper(value):
    return value


configured = scale[1, 32]
print(helper)
configured(numpy.ones(1))  # ~ missing-visible-devices warning
