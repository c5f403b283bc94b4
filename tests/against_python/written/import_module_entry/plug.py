import torch
def go():
    torch.cuda.init()
def no():
    torch.cuda.current_device()
