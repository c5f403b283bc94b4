import os
import sys

import torch

enabled = len(sys.argv) > 1 and torch.cuda.is_available()  # ~ missing-visible-devices warning
