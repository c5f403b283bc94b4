import _paths
import torch

from choosing import use

torch.ones(1).cuda()
use("1")  # ~ pin-after-cuda-init error
