def __getattr__(name):
    if name == "to_gpu":
        from app._gpu import to_gpu

        return to_gpu
    raise AttributeError(name)
