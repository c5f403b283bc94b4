import os

import torch

found = False
for card in ["a", "b", "c"]:
    if card == "b":
        found = True
        break
if found:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
