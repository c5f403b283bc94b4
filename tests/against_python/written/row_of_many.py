import os
import random
import torch

rows = [[0] * 2 for _ in range(20)]
at = int(random.random() * 20)
rows[at][0] = 1
rows[at].append(2)
os.environ["CUDA_VISIBLE_DEVICES"] = str(sum(len(row) for row in rows))
os.environ["CUDA_DEVICE_ORDER"] = str(rows[3][0] + rows[18][0] + rows[1][0])
total = [0 for _ in range(0)]
try:
    total[0] = 1
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
except IndexError:
    torch.cuda.init()
