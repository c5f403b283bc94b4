import os, torch
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
saved = dict(os.environ)
os.environ["CUDA_VISIBLE_DEVICES"] = "3"
os.environ.update(saved)
torch.cuda.init()
