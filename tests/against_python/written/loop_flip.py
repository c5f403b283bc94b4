import os, random, sys, torch
on = True
for _ in range(len(sys.argv) + 1):
    on = not on
os.environ["CUDA_VISIBLE_DEVICES"] = "1" if on else "0"
if on:
    torch.cuda.init()
