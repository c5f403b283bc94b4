import os
import sys

if sys.platform == "win32":
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"
else:
    os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
