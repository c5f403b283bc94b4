import os, random, sys, torch
def spin(mask):
    for _ in range(len(sys.argv)):
        mask = {"0": "1", "1": "2", "2": "3", "3": "4", "4": "5"}.get(mask, "6")
    return mask
mask = "0"
for _ in range(len(sys.argv)):
    mask = spin(mask)
os.environ["CUDA_VISIBLE_DEVICES"] = mask
torch.cuda.init()
