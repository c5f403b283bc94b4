import torch


class Config:
    device = "cuda" if torch.cuda.init() else "cpu"  # ~ missing-visible-devices warning


print(Config.device)
