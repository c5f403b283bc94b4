"""`.env` is read when the card is in use."""
import torch
from dotenv import load_dotenv

print(torch.cuda.get_device_name(0))
load_dotenv()  # ~ pin-after-cuda-init error
torch.zeros(4, device="cuda")
