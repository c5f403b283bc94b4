import os
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = x
    return True
any(f(x) for x in ["1", "2"])
