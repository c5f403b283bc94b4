import os

from dotenv import load_dotenv

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
load_dotenv(override=True)  # ~ conflicting-pins warning

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
