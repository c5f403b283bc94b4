import os, sys; import logging

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch
from transformers import AutoModel

log = logging.getLogger(__name__)

# trop tard : torch est déjà importé
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


class Handler:
    """Parle."""

    def __init__(self, config):
        self.device = config.get("device", "cuda:0")
        from tools.cards import require_big_card
        require_big_card()
        self.model = AutoModel.from_pretrained(config["model"]).to(self.device)

    def free(self):
        import gc
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    Handler({"model": "voice"})
