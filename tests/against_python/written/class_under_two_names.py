import os
class S:
    flag = "1"
T = S
T.flag = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = S.flag
