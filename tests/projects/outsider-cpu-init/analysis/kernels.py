import cupy as cp  # ~ gpu-import-in-cpu-mode error


def fast_mean(values):
    return cp.asarray(values).mean()
