import os

os.environ["CUDA_VISIBLE_DEVICES"] = "MIG-GPU-8932f937-d72c-4106-c12f-20bd9faed9f6/1/0"

import torch

torch.ones(2).cuda()
