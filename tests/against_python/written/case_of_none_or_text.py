import os
import torch


def choose(mode):
    match mode:
        case "auto" | None:
            torch.cuda.init()
        case 3 | [_]:
            os.environ["CUDA_VISIBLE_DEVICES"] = "3"
        case _:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""


choose([1])
choose(None)
choose("cpu")
