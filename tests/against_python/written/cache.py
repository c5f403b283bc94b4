import os, torch, functools
@functools.lru_cache
def pin():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
pin()
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
pin()
torch.cuda.init()
