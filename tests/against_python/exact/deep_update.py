import os

import torch

def update(base, more):
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            update(base[key], value)
        else:
            base[key] = value
    return base

config = update({"a": {"gpu": "0", "x": 1}}, {"a": {"gpu": "1"}, "b": 2})
os.environ["CUDA_VISIBLE_DEVICES"] = config["a"]["gpu"]
torch.cuda.init()
