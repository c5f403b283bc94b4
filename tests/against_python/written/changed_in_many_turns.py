import os
import torch

found = []
waiting = [1]
while waiting:
    number = waiting.pop()
    if number % 50 == 0:
        found.append(number)
    if number < 400:
        waiting.append(number + 1)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(found))
if found:
    torch.cuda.init()
