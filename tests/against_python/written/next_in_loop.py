import os
it = iter(["1", "2"])
for a in it:
    os.environ["CUDA_VISIBLE_DEVICES"] = a
    next(it, None)
