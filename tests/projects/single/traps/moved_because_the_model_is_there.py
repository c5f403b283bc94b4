import os

import torch

model = torch.nn.Linear(4, 4).cuda()  # ~ missing-visible-devices warning
if next(model.parameters()).is_cuda:
    torch.cuda.synchronize()
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"  # ~ alloc-conf-too-late warning
