import os
import torch
import argparse
ns = argparse.Namespace(card="1", use=True)
os.environ["CUDA_VISIBLE_DEVICES"] = ns.card
if ns.use:
    torch.cuda.init()
for k, v in vars(ns).items():
    if k == "card":
        os.environ["CUDA_VISIBLE_DEVICES"] = v
if not hasattr(ns, "other"):
    torch.cuda.current_device()
setattr(ns, "card", "7")
os.environ["CUDA_VISIBLE_DEVICES"] = getattr(ns, "card")
