import os
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = x
    return x
f("2") < f("1") < f("3")
