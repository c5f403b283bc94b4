import os, random, sys, torch
last = None
for word in sys.argv[1:] + ["z"]:
    if last is not None:
        os.environ["CUDA_DEVICE_ORDER"] = "later"
    last = word
os.environ["CUDA_VISIBLE_DEVICES"] = last
torch.cuda.init()
