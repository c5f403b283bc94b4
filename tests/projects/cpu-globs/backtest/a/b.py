import cupy  # ~ gpu-import-in-cpu-mode error
