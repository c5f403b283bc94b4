import torch
def start():
    torch.cuda.init()
