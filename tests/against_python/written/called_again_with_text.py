import os


def choose(act, card="1"):
    act()
    os.environ["CUDA_VISIBLE_DEVICES"] = card


choose(lambda: choose(str, "6"))
