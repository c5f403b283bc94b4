import torch

USE_GPU = False
if USE_GPU:
    torch.cuda.init()
enabled = USE_GPU and torch.cuda.is_available()
