import os

import torch

for card in "012":
    if card == "5":
        break
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
