from setup_env import *

import torch

torch.ones(1).cuda()
