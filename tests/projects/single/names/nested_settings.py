import os

CONFIG = {"gpu": {"mask": "0,1", "order": "PCI_BUS_ID"}, "cards": [{"index": 1}, {"index": 2}]}  # ~ device-outside-mask error
os.environ.update(
    {
        "CUDA_DEVICE_ORDER": CONFIG["gpu"]["order"],
        "CUDA_VISIBLE_DEVICES": CONFIG["gpu"]["mask"],
    }
)

import torch

for card in CONFIG["cards"]:
    torch.zeros(1).cuda(card["index"])
