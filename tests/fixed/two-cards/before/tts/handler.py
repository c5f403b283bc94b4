import os, sys; import logging
import torch
from transformers import AutoModel

log = logging.getLogger(__name__)

# trop tard : torch est déjà importé
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


class Handler:
    """Parle."""

    def __init__(self, config):
        self.device = config.get("device", "cuda:1")
        self.model = AutoModel.from_pretrained(config["model"]).to(self.device)

    def free(self):
        torch.cuda.empty_cache()
        import gc
        gc.collect()


if __name__ == "__main__":
    Handler({"model": "voice"})
