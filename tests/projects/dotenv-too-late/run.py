import torch
from dotenv import load_dotenv

print(torch.cuda.init())  # ~ missing-visible-devices warning
