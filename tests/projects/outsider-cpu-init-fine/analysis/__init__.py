def __getattr__(name):
    if name == "fast_mean":
        from .kernels import fast_mean

        return fast_mean
    raise AttributeError(name)
