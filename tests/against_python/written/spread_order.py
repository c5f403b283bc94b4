import os
d = {"mask": "0", "order": "5"}
os.environ["CUDA_VISIBLE_DEVICES"] = list({**d, "mask": "2"}.values())[-1]
