import os, itertools
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
for q in itertools.takewhile(f, "0"):
    pass
