import os, random, sys, torch
class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + node[0], self.generic)(node)
    def generic(self, node):
        return "g"
    def visit_list(self, node):
        return "".join(self.visit(n) for n in node[1:])
    def visit_gpu(self, node):
        return node[1]
os.environ["CUDA_VISIBLE_DEVICES"] = Visitor().visit(["list", ["gpu", "1"], ["cpu"], ["list", ["gpu", "2"]]])
torch.cuda.init()
