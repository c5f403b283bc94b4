from concurrent.futures import ProcessPoolExecutor

import numba


@numba.njit(parallel=True)
def smooth(values):
    return values


@numba.njit(parallel=False)
def single(values):
    return values


def read(path):
    return path


with ProcessPoolExecutor() as executor:
    paths = list(executor.map(read, []))
    list(executor.map(single, []))
print(smooth(paths))
