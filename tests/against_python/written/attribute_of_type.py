import os
class S:
    default = "6"
s = S()
type(s).default = "7"
os.environ["CUDA_VISIBLE_DEVICES"] = s.default
