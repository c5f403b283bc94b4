import cupy  # ~ gpu-import-in-cpu-mode error


def to_gpu(values):
    return cupy.asarray(values)
