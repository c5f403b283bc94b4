def load(name):
    import torch  # ~ gpu-import-in-cpu-mode error

    return getattr(torch, name)


TYPES = [load(n) for n in ("float16", "float32")]
