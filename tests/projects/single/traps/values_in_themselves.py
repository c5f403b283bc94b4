import os
from dataclasses import asdict, dataclass

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch


@dataclass
class Stage:
    name: str
    behind: object = None


first, second = Stage("load"), Stage("load")
first.behind, second.behind = first, second
one, other = [], []
one.append(one)
other.append(other)
for ask in (lambda: first == second, lambda: asdict(first), lambda: one == other, lambda: (one,) < (other,)):
    try:
        print(ask())
    except RecursionError:
        pass

torch.cuda.init()
