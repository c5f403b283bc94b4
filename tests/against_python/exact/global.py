import os

import torch

card = "0"

def choose():
    global card, made
    card = "2"
    made = True

choose()
if made:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
