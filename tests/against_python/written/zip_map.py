import os
def f(x): os.environ["CUDA_VISIBLE_DEVICES"] = x
for a, b in zip([1], map(f, ["1", "2"])): pass
