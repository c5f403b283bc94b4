import os
import torch

for options in [{"cpu": 1}, {"gpu": "2"}]:
    match options:
        case {"gpu": card}:
            os.environ["CUDA_VISIBLE_DEVICES"] = card
        case {}:
            torch.cuda.init()
        case _:
            torch.cuda.current_device()
