import os
import torch
import concurrent.futures as cf
def work():
    raise ValueError
with cf.ThreadPoolExecutor(1) as ex:
    f = ex.submit(work)
    try:
        f.result()
        torch.cuda.init()
    except ValueError:
        torch.cuda.current_device()
