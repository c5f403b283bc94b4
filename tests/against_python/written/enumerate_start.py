import os
for i, q in enumerate(["2"], 1):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(i)
