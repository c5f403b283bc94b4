import os, sys, torch
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
for _ in range(len(sys.argv) + 1):
    os.environ["CUDA_VISIBLE_DEVICES"] += ",1"
torch.cuda.init()
