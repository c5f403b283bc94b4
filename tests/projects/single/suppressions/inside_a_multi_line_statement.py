import os

# gpulint: ignore[missing-device-order] identical cards
os.environ.update(
    CUDA_VISIBLE_DEVICES="1",
)

import torch

torch.cuda.init()
