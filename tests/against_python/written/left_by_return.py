import os, sys
import torch
slow = os.environ.get("MODE") == "slow"
def choose():
    if slow:
        if len(sys.argv) > 2:
            return
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "31")
choose()
if slow:
    torch.ones(1).cuda()
