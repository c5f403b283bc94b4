import os
import sys

import torch

import settings

settings.place = "1"
if len(sys.argv) > 1:
    import parts
settings.place = "2"
import parts

os.environ["CUDA_VISIBLE_DEVICES"] = parts.part.place
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = parts.Part.kind
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = parts.place()
torch.cuda.init()
