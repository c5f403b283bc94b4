import os
def go():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
