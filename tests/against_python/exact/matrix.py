import os, random, sys, torch
rows = [[0] * 2 for _ in range(2)]
rows[0][1] = 5
bad = [[0] * 2] * 2
bad[0][1] = 7
os.environ["CUDA_VISIBLE_DEVICES"] = f"{rows[1][1]}{bad[1][1]}"
torch.cuda.init()
