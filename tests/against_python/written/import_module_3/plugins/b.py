import os
def run():
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
