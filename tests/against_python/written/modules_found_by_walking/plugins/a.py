import torch
from plugins import HOOKS
def go():
    torch.cuda.init()
HOOKS.append(go)
