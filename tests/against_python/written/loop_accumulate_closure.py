import os, random, sys, torch
def make():
    n = "a"
    def step():
        nonlocal n
        n = {"a": "b", "b": "c", "c": "d", "d": "e", "e": "f", "f": "f"}[n]
        return n
    return step
step = make()
for _ in range(len(sys.argv) + 1):
    os.environ["CUDA_VISIBLE_DEVICES"] = step()
torch.cuda.init()
