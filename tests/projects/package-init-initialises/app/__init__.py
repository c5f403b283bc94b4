import torch

GPU = torch.cuda.is_available()
