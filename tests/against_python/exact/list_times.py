import os

import torch

cards = ["0"] * 3
rows = [[0]] * 2
rows[0].append(1)
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cards) + ";" + str(len(rows[1]))
torch.cuda.init()
