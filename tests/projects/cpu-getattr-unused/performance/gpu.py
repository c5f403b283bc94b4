import cupy


def to_gpu(values):
    return cupy.asarray(values)
