import os
def f(): os.environ["CUDA_VISIBLE_DEVICES"] = "1"
table = {"a": f}
for name in "a":
    table[name]()
