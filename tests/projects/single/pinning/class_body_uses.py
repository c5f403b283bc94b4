import torch


class Config:
    device = "cuda" if torch.cuda.is_available() else "cpu"  # ~ missing-visible-devices warning


print(Config.device)
