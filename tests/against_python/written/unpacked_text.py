import os
def f(*a): return ",".join(a)
os.environ["CUDA_VISIBLE_DEVICES"] = f(*"12")
