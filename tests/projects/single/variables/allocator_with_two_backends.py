import os

import torch

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync")  # ~ alloc-conf-too-late error
