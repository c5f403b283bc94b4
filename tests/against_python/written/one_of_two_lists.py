import os, sys
a = ["1"]
b = ["2"]
c = a if len(sys.argv) > 1 else b
c.append("3")
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(a)
