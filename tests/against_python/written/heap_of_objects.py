import os
import torch
import heapq
class J:
    def __init__(self, n): self.n = n
    def __lt__(self, o):
        torch.cuda.init()
        return self.n < o.n
h = []
heapq.heappush(h, J(2))
torch.cuda.current_device()
heapq.heappush(h, J(1))
