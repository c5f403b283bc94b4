import os, torch
class V:
    def visit(self, n): return getattr(self, "visit_" + n)()
    def visit_gpu(self): os.environ["CUDA_VISIBLE_DEVICES"] = "1"
V().visit("gpu")
torch.cuda.init()
