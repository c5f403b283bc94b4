import sys

import torch

if len(sys.argv) > 1:
    model = torch.nn.Linear(4, 4)
else:
    model = torch.load("model.pt", map_location="cpu")
model.cuda()  # ~ missing-visible-devices warning
torch.nn.Linear(2, 2).cuda()
