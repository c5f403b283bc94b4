import torch

COUNT = torch.cuda.current_device()
