def run(values, gpu=False):
    if gpu:
        from .gpu import to_gpu

        return to_gpu(values)
    return values
