import torch

try:
    torch.cuda.set_device(0)  # ~ missing-visible-devices warning
except RuntimeError as error:
    print(error)
