import torch
def f():
    torch.cuda.init()
    yield
iter(f())
