import os
import torch

one, other = 1, 1
longer = []
for turn in range(1, 100):
    one, other = one + 2 * other, one + other
    if len(str(one)) > len(str(other)):
        longer.append(turn)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(longer))
if longer:
    torch.cuda.init()
