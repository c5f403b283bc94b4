import os
import torch
from enum import Enum


class Mode(Enum):
    CPU = 1
    GPU = "gpu"


if Mode.CPU == 1:
    torch.cuda.init()
if Mode.GPU == "gpu" or Mode.GPU in ("gpu", 1):
    torch.cuda.init()
if isinstance(Mode.GPU, str):
    torch.cuda.init()
if Mode.GPU.value == "gpu" and Mode.GPU in (Mode.CPU, Mode.GPU):
    os.environ["CUDA_VISIBLE_DEVICES"] = f"{Mode.CPU}"
torch.cuda.current_device()
