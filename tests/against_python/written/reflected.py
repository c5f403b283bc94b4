import torch
class S:
    def __radd__(self, other):
        torch.cuda.init()
        return "1"
"1" + S()
