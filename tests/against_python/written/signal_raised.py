import os
import torch
import signal
def h(n, f):
    torch.cuda.init()
signal.signal(signal.SIGUSR1, h)
signal.raise_signal(signal.SIGUSR1)
