import os
import torch
import enum
class Dev(enum.Enum):
    CPU = "cpu"
    GPU = "cuda"
    def use(self):
        if self is Dev.GPU:
            torch.cuda.init()
        return self.value
    @classmethod
    def default(cls):
        torch.cuda.current_device()
        return cls.GPU
    @property
    def short(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = self.name
        return 1
if Dev.default().use() == "cuda":
    torch.zeros(1).cuda()
Dev.CPU.use()
Dev("cuda").short
for d in Dev:
    os.environ["CUDA_VISIBLE_DEVICES"] = d.value
