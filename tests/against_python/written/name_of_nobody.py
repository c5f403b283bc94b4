import os
import torch
try:
    undefined
    torch.cuda.current_device()
except NameError:
    torch.cuda.init()
