import os

from dotenv import load_dotenv

os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
load_dotenv()

import torch

torch.cuda.set_device(1)
