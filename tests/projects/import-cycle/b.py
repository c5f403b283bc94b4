import a
import torch


def use():
    torch.ones(1).cuda()
