import os, sys, torch
a, b, c, d = "0", "1", "2", "3"
for _ in range(len(sys.argv) + 1):
    a, b, c, d = b, c, d, a
os.environ["CUDA_VISIBLE_DEVICES"] = a
torch.cuda.init()
