import os


class First:
    mask = "1"


class Second(First):
    pass


class Third(Second):
    pass


if os.path.exists("marker"):
    Second.mask = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = Third.mask
os.environ["CUDA_VISIBLE_DEVICES"] = Third().mask
