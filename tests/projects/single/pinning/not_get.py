import os

if not os.environ.get("CUDA_VISIBLE_DEVICES"):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"

import torch

print(torch.__version__)
