import torch  # ~ gpu-import-in-cpu-mode error
import torch.nn as nn  # ~ gpu-import-in-cpu-mode error
from torch import Tensor  # ~ gpu-import-in-cpu-mode error
from torch.utils.data import DataLoader  # ~ gpu-import-in-cpu-mode error
import numpy as np, cupy as cp  # ~ gpu-import-in-cpu-mode error
