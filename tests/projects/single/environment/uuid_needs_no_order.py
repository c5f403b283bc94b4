import os

os.environ["CUDA_VISIBLE_DEVICES"] = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"

import torch

torch.cuda.set_device(0)
torch.cuda.set_device(1)  # ~ device-outside-mask error
