import os


def choose():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
