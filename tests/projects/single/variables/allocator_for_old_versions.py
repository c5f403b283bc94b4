import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "roundup_bypass_threshold_mb:512"  # ~ alloc-conf-invalid warning
