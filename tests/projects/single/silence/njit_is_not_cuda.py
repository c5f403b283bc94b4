import numba
import numpy
from numba import njit, prange


@njit(parallel=True, cache=True)
def total(values):
    result = 0.0
    for index in prange(len(values)):
        result += values[index]
    return result


@numba.jit(nopython=True)
def first(values):
    return values[0]


print(total(numpy.ones(3)), first(numpy.ones(3)))
