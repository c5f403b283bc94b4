import os, random, sys, torch
a, b = {"m": "0"}, {"m": "1"}
for _ in range(len(sys.argv)):
    a, b = b, a
    a["m"] += "x"
os.environ["CUDA_VISIBLE_DEVICES"] = a["m"] + b["m"]
torch.cuda.init()
