import os, torch
env = os.environ.copy()
env["CUDA_VISIBLE_DEVICES"] = "1"
torch.cuda.init()
