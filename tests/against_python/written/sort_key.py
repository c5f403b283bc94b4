import os
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = x
names = ["1"]
names.sort(key=f)
