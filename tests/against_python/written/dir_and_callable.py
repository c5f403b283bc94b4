import os
import torch
class Suite:
    def test_b(self): torch.cuda.init()
    def test_a(self): os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    def helper(self): torch.cuda.current_device()
s = Suite()
tests = [n for n in dir(s) if n.startswith("test_") and callable(getattr(s, n))]
for n in tests:
    getattr(s, n)()
