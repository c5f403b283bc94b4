import os, torch
os.environ.update(dict.fromkeys(("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"), "1"))
torch.cuda.init()
