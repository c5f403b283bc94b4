import torch


def old(enabled):
    torch.backends.cudnn.allow_tf32 = enabled  # ~ legacy-tf32-switch warning


def new():
    torch.backends.cudnn.conv.fp32_precision = "tf32"
    torch.backends.cuda.matmul.fp32_precision = "ieee"
    return torch.backends.cuda.matmul.allow_tf32  # ~ legacy-tf32-switch error
