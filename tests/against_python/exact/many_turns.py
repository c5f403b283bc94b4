import os
import torch

found = []
open_ones = [("", 0, 0)]
while open_ones:
    text, opened, closed = open_ones.pop()
    if len(text) == 6:
        found.append(text)
        continue
    if opened < 3:
        open_ones.append((text + "(", opened + 1, closed))
    if closed < opened:
        open_ones.append((text + ")", opened, closed + 1))
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(found)) + found[-1]
torch.cuda.init()
