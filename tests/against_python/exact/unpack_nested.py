import os

import torch

(a, *b), c = [1, 2, 3], 4
first, *_, last = [*b, c, a]
os.environ["CUDA_VISIBLE_DEVICES"] = f"{first},{last}"
torch.cuda.init()
