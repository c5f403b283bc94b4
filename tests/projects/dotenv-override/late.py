import torch
from dotenv import load_dotenv

torch.cuda.init()
load_dotenv()  # ~ pin-after-cuda-init error
