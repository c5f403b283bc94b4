import torch
from dotenv import load_dotenv

print(torch.cuda.is_available())  # ~ missing-visible-devices warning
