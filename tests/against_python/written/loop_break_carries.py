import os, random, sys, torch
prev = None
cur = "a"
while True:
    prev, cur = cur, cur + "x"
    if len(cur) > len(sys.argv) + 2:
        break
os.environ["CUDA_VISIBLE_DEVICES"] = prev
torch.cuda.init()
