import torch
class C:
    def __repr__(self):
        torch.cuda.init()
        return "1"
print(repr(C()))
