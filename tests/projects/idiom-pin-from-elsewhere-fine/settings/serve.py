"""`.env` lies beside this file."""
from dotenv import load_dotenv

load_dotenv()

import torch

torch.zeros(4, device="cuda")
