import os, random, sys, torch
state = "idle"
for _ in range(len(sys.argv) + 1):
    if state == "idle":
        state = "warm"
    elif state == "warm":
        state = "hot"
    elif state == "hot":
        state = "done"
        torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = state
