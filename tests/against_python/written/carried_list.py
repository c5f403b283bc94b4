import os, sys, torch
a = ["0", "1", "2", "3", "4"]
for _ in range(len(sys.argv) + 1):
    a = a[1:]
os.environ["CUDA_VISIBLE_DEVICES"] = a[0]
torch.cuda.init()
