"""The module that chooses the card is imported when the card is in use."""
import torch

READY = torch.cuda.is_available()

import app.card  # ~ pin-after-cuda-init error

from app.model import Narrator

if __name__ == "__main__" and READY:
    Narrator().cuda()
