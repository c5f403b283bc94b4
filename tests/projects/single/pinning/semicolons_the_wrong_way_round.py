import os; import torch; torch.ones(1).cuda(); os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
