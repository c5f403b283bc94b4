import torch


@torch.no_grad()
@torch.compile
def f(x):
    return x * 2


with torch.autocast("cpu", dtype=torch.bfloat16):
    print(torch.ones(2) * 2)
