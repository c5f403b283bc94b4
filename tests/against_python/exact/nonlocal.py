import os

import torch

def counter():
    count = 0
    def up():
        nonlocal count
        count += 1
        return count
    def read():
        return count
    return up, read

up, read = counter()
other, _ = counter()
up(); up(); other()
os.environ["CUDA_VISIBLE_DEVICES"] = str(read())
torch.cuda.init()
