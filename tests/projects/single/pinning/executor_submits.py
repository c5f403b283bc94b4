from concurrent.futures import ThreadPoolExecutor

import torch


def work(n):
    return torch.ones(n).cuda()  # ~ missing-visible-devices warning


with ThreadPoolExecutor() as pool:
    future = pool.submit(work, 2)
    print(future.result())
