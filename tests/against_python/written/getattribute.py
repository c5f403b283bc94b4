import os
import torch


class Settings:
    card = "0"

    def __getattribute__(self, name):
        return "1"


os.environ["CUDA_VISIBLE_DEVICES"] = Settings().card
torch.cuda.init()
