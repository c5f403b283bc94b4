import os
from os import environ as E
v = "1" * 1
os.environ["CUDA_VISIBLE_DEVICES"] = v
old = E.get("CUDA_VISIBLE_DEVICES")
E["CUDA_VISIBLE_DEVICES"] = old
