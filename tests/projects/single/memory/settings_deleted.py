import gc

import torch


def clean(model, cfg):
    torch.cuda.empty_cache()
    del cfg["x"]


def clean2(models):
    torch.cuda.empty_cache()  # ~ empty-cache-before-collect warning
    del models["a"]
