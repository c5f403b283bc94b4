import gpu_env
import torch

torch.ones(1).cuda()
