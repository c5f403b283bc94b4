import os

import torch

print(torch.cuda.memory_allocated())
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "garbage_collection_threshold:0.8"
