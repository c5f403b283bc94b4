import os
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(sorted(set(["0", "0"])))
