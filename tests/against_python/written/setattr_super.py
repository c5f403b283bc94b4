import os
import torch


class Settings:
    def __init__(self):
        self.card = "0"

    def __setattr__(self, name, value):
        super().__setattr__(name, value + "1")


settings = Settings()
os.environ["CUDA_VISIBLE_DEVICES"] = settings.card
torch.cuda.init()
