import torch


def load(path, device="cuda:1"):
    return torch.load(path, map_location=device)


class Config:
    device = "cuda:1"
    other = "cuda:1 in words"


if __name__ == "__main__":
    print(Config.other, load)
