import contextlib
import os
import torch


class Session:
    def close(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


with contextlib.closing(Session()) as session:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
torch.cuda.init()
