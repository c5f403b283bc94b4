import os
import torch
class Dot(dict):
    def __getattr__(self, name):
        return self[name]
    def __setattr__(self, name, value):
        self[name] = value
cfg = Dot({"gpu": "2"})
os.environ["CUDA_VISIBLE_DEVICES"] = cfg["gpu"]
os.environ["CUDA_VISIBLE_DEVICES"] = cfg.gpu
d = Dot(gpu="5")
os.environ["CUDA_VISIBLE_DEVICES"] = d.gpu
d.gpu = "6"
os.environ["CUDA_VISIBLE_DEVICES"] = d["gpu"]
class Attr(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self
a = Attr(gpu="8")
os.environ["CUDA_VISIBLE_DEVICES"] = a.gpu
a["gpu"] = "9"
os.environ["CUDA_VISIBLE_DEVICES"] = a.gpu
a.gpu = "10"
os.environ["CUDA_VISIBLE_DEVICES"] = a["gpu"]
torch.cuda.init()
