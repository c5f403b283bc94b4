import os
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = x
    return True
z = filter(f, ["1", "2"])
list(zip(z))
