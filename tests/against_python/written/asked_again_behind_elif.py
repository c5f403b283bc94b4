import os
import time

import torch

if time.time() % 2 < 1:
    pass
elif os.environ.get("MODE") == "slow":
    os.environ["STAGE"] = "47"
if os.environ.get("MODE") == "slow":
    if os.environ.get("STAGE") is None:
        os.environ["CUDA_VISIBLE_DEVICES"] = "4"
torch.cuda.init()
