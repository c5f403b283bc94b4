import os
import torch


def cards():
    yield "1"
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"


os.environ["CUDA_VISIBLE_DEVICES"] = "0"
for number, card in enumerate(cards(), start=3):
    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", card) + "," + card
torch.cuda.init()
