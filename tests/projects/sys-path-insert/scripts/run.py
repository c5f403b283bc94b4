import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))

import gpu_setup
import torch

torch.ones(1).cuda()
