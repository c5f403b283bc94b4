import os, sys
import torch
for n in ["1", "2", "3"]:
    if os.environ.get("MODE") == "slow":
        if len(sys.argv) > 2:
            continue
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "31")
    os.environ.update({"CUDA_VISIBLE_DEVICES": "31"})
torch.ones(1).cuda()
