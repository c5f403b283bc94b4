import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # gpulint: ignore[missing-device-order] identical cards

import torch

torch.ones(1, device="cuda:1")  # gpulint: ignore[device-outside-mask] a test of the error
