import os

import torch

print(os.environ.get("CUDA_VISIBLE_DEVICES", "all"), os.getenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST"))
print({k: v for k, v in os.environ.items() if k.startswith("CUDA")})
print(torch.version.cuda)
