import os
q = set()
for x in ["0", "0"]:
    q.add(x)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(q))
