import os

from dotenv import load_dotenv

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
load_dotenv(override=True)  # ~ conflicting-pins warning

import torch

torch.ones(1).cuda()
