import os, random, sys, torch
for _ in range(len(sys.argv) + 1):
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "0":
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    elif os.environ.get("CUDA_VISIBLE_DEVICES") == "1":
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"
        torch.cuda.init()
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
