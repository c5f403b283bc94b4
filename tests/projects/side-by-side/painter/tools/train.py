import torch

from painter.cards import take

model = torch.nn.Linear(4, 4).cuda()
take("1")  # ~ pin-after-cuda-init error
