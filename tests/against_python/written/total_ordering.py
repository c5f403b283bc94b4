import os
import torch
import functools
@functools.total_ordering
class A:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o):
        torch.cuda.init()
        return self.n < o.n
if A(1) >= A(2):
    torch.cuda.current_device()
