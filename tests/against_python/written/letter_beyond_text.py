import os

try:
    card = "0123"[10]
    os.environ["CUDA_VISIBLE_DEVICES"] = card
except IndexError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0123"[2]
