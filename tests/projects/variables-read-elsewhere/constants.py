import numpy as np

CUDA_VISIBLE_DEVICES = "1"
PYTORCH_CUDA_ALLOC_CONF = "expandable_segments:True"  # ~ gpu-env-as-python-name warning
SHAPE = np.array([1, 2])
