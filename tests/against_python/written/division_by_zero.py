import os

try:
    1 / 0
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except ZeroDivisionError:
    pass
