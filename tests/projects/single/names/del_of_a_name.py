import os

import torch

env = os.environ
del env
print(torch.version.cuda)
