def to_gpu(values):
    import cupy

    return cupy.asarray(values)
