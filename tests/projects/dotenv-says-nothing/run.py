# The file is there and does not choose a card.
from dotenv import load_dotenv

load_dotenv()

import torch

torch.ones(1).cuda()  # ~ missing-visible-devices warning
