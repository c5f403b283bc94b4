import core.env
import torch

torch.ones(1).cuda()
