import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "a"
os.environ.clear()
