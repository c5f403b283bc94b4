import contextlib

with contextlib.suppress(ImportError):
    import torch  # ~ gpu-import-in-cpu-mode error
