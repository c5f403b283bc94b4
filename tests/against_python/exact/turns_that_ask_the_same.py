import os
import torch

left = [2, 0]
tried = [0, 0, 0]
wanted = [[0, 1, 2], [1, 2, 0], [2, 1, 0]]
while left:
    card = left[-1]
    choice = wanted[card][tried[card]]
    tried[card] += 1
    if choice == 2 and card == 0 or choice == 0:
        left.pop()
os.environ["CUDA_VISIBLE_DEVICES"] = str(tried)
values = [2, 1]
os.environ["CUDA_DEVICE_ORDER"] = f"{values} {values.sort()} {values}"
torch.cuda.init()
