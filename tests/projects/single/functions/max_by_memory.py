import os

import torch

best = max(range(torch.cuda.device_count()), key=lambda index: torch.cuda.mem_get_info(index)[0])
os.environ["CUDA_VISIBLE_DEVICES"] = str(best)  # ~ pin-after-cuda-init error, visible-count-as-mask note
