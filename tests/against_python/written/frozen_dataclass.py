import os
import torch
from dataclasses import dataclass


@dataclass(frozen=True)
class Slot:
    index: int


slot = Slot(1)
try:
    slot.index = 4
    torch.cuda.init()
except AttributeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = str(slot.index)
torch.cuda.current_device()
