import torch

from config import settings


class Speaker:
    def __init__(self):
        self.device = torch.device(settings.stt_device)
        self.model = torch.nn.Linear(4, 4).to(self.device)
