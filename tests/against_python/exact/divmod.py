import os

import torch

node, card = divmod(11, 8)
os.environ["CUDA_VISIBLE_DEVICES"] = str(card)
if node == 1:
    torch.cuda.init()
