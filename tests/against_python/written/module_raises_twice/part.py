import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
raise ValueError("no")
