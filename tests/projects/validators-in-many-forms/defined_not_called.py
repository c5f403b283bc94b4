import env
import torch


def require_something():
    return torch.cuda.get_device_name(0)


torch.zeros(1).cuda()  # ~ missing-gpu-validation warning
