import os

import torch

weights = torch.zeros(1, device="cuda")
pid = os.fork()
if pid > 0:
    print(weights.sum())
    os.waitpid(pid, 0)
else:
    os.execv("/bin/true", ["true"])
