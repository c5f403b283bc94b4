from gpu import configure

configure()

import torch

torch.ones(1).cuda()
