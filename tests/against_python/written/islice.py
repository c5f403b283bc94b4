import os, itertools
def f(x):
    os.environ["CUDA_VISIBLE_DEVICES"] = x
for q in itertools.islice(map(f, ["1", "2"]), 1):
    pass
