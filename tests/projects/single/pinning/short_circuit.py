import os
import sys

import torch

enabled = len(sys.argv) > 1 and torch.cuda.init()  # ~ missing-visible-devices warning
