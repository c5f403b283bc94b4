import os

import torch

DEFAULTS = {"device": "cuda:1", "workers": 4}

def merged(**given):
    return {**DEFAULTS, **{k: v for k, v in given.items() if v is not None}}

options = merged(workers=None, device="cuda:3")
os.environ["CUDA_VISIBLE_DEVICES"] = options["device"].split(":")[-1] + str(options["workers"])
torch.cuda.init()
