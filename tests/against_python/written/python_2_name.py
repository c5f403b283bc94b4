import torch

try:
    unicode
    torch.cuda.current_device()
except NameError:
    torch.cuda.init()
    unicode = str
