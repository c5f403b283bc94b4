import os


def pin():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ missing-device-order warning
