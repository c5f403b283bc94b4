import os
import torch

pairs = zip(["a", "b"], ["1", "2"])
print(dict(pairs))
for name, card in pairs:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
