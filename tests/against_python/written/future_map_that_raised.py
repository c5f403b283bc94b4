import os
import torch
from concurrent.futures import ThreadPoolExecutor
def work(i):
    raise ValueError
try:
    with ThreadPoolExecutor(2) as ex:
        list(ex.map(work, [1, 2]))
    torch.cuda.init()
except ValueError:
    torch.cuda.current_device()
