import torch

READY = torch.cuda.is_available()
