import os
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(x)
    return x
l = [0, 0]
l[f(0)] += f(1)
