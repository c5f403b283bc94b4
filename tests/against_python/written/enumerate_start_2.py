import os
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join([str(i) for i, q in enumerate("ab", start=5)])
