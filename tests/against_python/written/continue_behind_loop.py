import os, sys
for first in ["18", "46"]:
    for second in [os.environ.get("CUDA_VISIBLE_DEVICES", "37")]:
        if len(sys.argv) > 2:
            break
    else:
        continue
    os.environ["CUDA_VISIBLE_DEVICES"] = first
