import os

SIZE = 8
PARTS = ["expandable_segments:True", f"max_split_size_mb:{SIZE}"]
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = ",".join(PARTS)  # ~ alloc-conf-invalid error
