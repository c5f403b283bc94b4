from tool.env import pin

pin()

import torch

torch.ones(1).cuda()
