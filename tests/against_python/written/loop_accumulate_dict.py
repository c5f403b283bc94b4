import os, random, sys, torch
state = {"mask": "0"}
for _ in range(len(sys.argv) + 2):
    state["mask"] = state["mask"] + "1"
os.environ["CUDA_VISIBLE_DEVICES"] = state["mask"]
torch.cuda.init()
