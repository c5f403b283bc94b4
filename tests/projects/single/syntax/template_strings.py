import torch

name = "x"
print(t"hello {name}")
torch.ones(1).cuda()  # ~ missing-visible-devices warning
