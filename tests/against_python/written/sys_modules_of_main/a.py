import torch
def go():
    torch.cuda.init()
