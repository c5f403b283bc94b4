import sys

try:
    import cupy  # ~ gpu-import-in-cpu-mode error
except ImportError:
    cupy = None

if sys.platform == "linux":
    import torch  # ~ gpu-import-in-cpu-mode error

with open(__file__) as handle:
    from numba import cuda  # ~ gpu-import-in-cpu-mode error
