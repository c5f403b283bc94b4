import os
d = {k: v for k, v in [("a", "1"), ("a", "2")]}
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(d.values())
