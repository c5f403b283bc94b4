import os

import env

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ wrong-visible-devices error, conflicting-pins error
import env
import torch
