import os
mask = "0"
globals()["mask"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = mask
