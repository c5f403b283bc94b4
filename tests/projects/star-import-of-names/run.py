from tools import *

pin()

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
