import sys

import torch


def leave():
    sys.exit()


if len(sys.argv) > 1:
    raise KeyError(leave())
torch.cuda.init()
