import os

import torch


class Outer:
    class Inner:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
