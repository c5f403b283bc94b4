import os, sys
d = {"a": "1"}
d["a" if len(sys.argv) > 1 else "b"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = d["a"]
