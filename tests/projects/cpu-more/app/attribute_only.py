import numba


def kernel(f):
    return numba.cuda.jit(f)
