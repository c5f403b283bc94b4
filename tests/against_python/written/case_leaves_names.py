import os
import torch

card = "0"
match ["use", "1"]:
    case ["drop", card]:
        torch.cuda.init()
    case [_, card] if card == "2":
        torch.cuda.current_device()
    case ["use", _]:
        os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
