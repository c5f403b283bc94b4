import os, random, sys, torch
mask = "0"
for a in sys.argv:
    for b in sys.argv:
        mask = {"0": "1", "1": "2", "2": "3", "3": "4"}.get(mask, "5")
os.environ["CUDA_VISIBLE_DEVICES"] = mask
torch.cuda.init()
