import torch
def gen():
    torch.cuda.init()
    yield "3"
if "0" in gen():
    pass
