import multiprocessing as mp
from functools import partial

import numba as nb


@nb.jit(nopython=True, parallel=True)
def smooth(values, width):
    for index in nb.prange(len(values)):
        values[index] /= width
    return values


def both(values):
    return smooth(values, 2)


if __name__ == "__main__":
    pool = mp.Pool(mp.cpu_count())
    pool.map(partial(smooth, width=3), [])  # ~ numba-parallel-in-pool warning
    pool.apply_async(both, ([1.0],))  # ~ numba-parallel-in-pool warning
    pool.map(len, [])
