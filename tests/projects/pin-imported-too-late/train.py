import torch
from model import Model
import gpu_env  # ~ pin-after-cuda-init error

Model()
