from numba import cuda, njit  # ~ gpu-import-in-cpu-mode error
