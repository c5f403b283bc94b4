import torch
class S:
    def __str__(self):
        torch.cuda.init()
        return "5"
f"{S()}"
