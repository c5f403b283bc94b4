import os, torch
old = os.environ.get("CUDA_VISIBLE_DEVICES")
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
if old is None:
    del os.environ["CUDA_VISIBLE_DEVICES"]
torch.cuda.init()
