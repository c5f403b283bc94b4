import os
import sys


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return sys.argv[-1] == "fast"


with Guard():
    sys.exit()
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
