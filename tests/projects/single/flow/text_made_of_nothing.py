import os

import torch


def select(device=""):
    device = str(device).strip().lower().replace("cuda:", "").replace("none", "")
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    elif device:
        os.environ["CUDA_VISIBLE_DEVICES"] = device
    return torch.device("cuda" if torch.cuda.init() else "cpu")  # ~ missing-visible-devices warning


def profile(device=None):
    return select(device)


if __name__ == "__main__":
    profile()
    profile()
