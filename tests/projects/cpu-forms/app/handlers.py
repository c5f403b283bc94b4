try:
    import nothing_of_the_kind
except ImportError:
    import torch  # ~ gpu-import-in-cpu-mode error
else:
    import cupy  # ~ gpu-import-in-cpu-mode error
finally:
    import numba.cuda  # ~ gpu-import-in-cpu-mode error
