import os
for q in {"1", "1"}:
    os.environ["CUDA_VISIBLE_DEVICES"] = q
