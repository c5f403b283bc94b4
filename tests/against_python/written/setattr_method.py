import os
import torch


class Settings:
    def __setattr__(self, name, value):
        os.environ["CUDA_VISIBLE_DEVICES"] = value


settings = Settings()
settings.card = "1"
torch.cuda.init()
