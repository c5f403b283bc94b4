import contextlib
import os

import torch

VALUES = {"card": "1", "word": "x"}


def number(name):
    with contextlib.suppress(KeyError):
        return VALUES[name]
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    return "2"


def asked(name):
    with contextlib.suppress(ValueError):
        return int(os.environ.get(name, "none"))
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


number("card")
number("missing")
asked("NOBODY_SETS_THIS")
for name in ["missing", "card"]:
    with contextlib.suppress(KeyError):
        os.environ["CUDA_VISIBLE_DEVICES"] = VALUES[name]
        break
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
for name in ["missing", "card"]:
    with contextlib.suppress(KeyError):
        os.environ["CUDA_VISIBLE_DEVICES"] = VALUES[name]
        continue
    os.environ["CUDA_VISIBLE_DEVICES"] = "4"
torch.cuda.init()
