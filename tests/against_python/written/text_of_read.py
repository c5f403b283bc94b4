import os
for k, v in {"CUDA_DEVICE_ORDER": str(os.environ.get("CUDA_DEVICE_ORDER"))}.items():
    os.environ[k] = v
