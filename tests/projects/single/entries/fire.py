import fire
import torch


def train(size=4):
    torch.ones(size).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    fire.Fire(train)
