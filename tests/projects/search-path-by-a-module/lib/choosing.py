import os


def use(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card
