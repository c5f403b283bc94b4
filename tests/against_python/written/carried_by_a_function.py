import os, sys, torch
def f(a):
    return "1" if a == "0" else "2" if a == "1" else "3"
a = "0"
for _ in range(len(sys.argv) + 1):
    a = f(a)
os.environ["CUDA_VISIBLE_DEVICES"] = a
torch.cuda.init()
