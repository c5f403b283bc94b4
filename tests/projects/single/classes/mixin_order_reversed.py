import os


class Pin:
    def __init__(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
        super().__init__()


class Load:
    def __init__(self):
        import torch

        self.tensor = torch.zeros(1).cuda()
        super().__init__()


class Trainer(Load, Pin):
    pass


Trainer()
