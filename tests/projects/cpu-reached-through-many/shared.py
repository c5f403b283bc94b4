import torch  # ~ gpu-import-in-cpu-mode error
