import os

import torch

def pick(kind):
    match kind:
        case "train" | "fit":
            return "0"
        case "test" if len(kind) > 10:
            return "9"
        case "test":
            return "1"
        case _:
            return "2"

os.environ["CUDA_VISIBLE_DEVICES"] = pick("test")
torch.cuda.init()
