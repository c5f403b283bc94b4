import os, torch
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
for name in list(os.environ):
    if name.startswith("CUDA_"):
        del os.environ[name]
torch.cuda.init()
