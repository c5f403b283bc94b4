try:
    from numba import cuda

    cuda.select_device(0)
except ImportError:  # ~ gpu-import-guard-too-narrow note
    cuda = None
