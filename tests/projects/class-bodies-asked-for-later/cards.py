"""Classes whose bodies only bind names; whoever asks for one finds it as it was left."""
import os


class Card:
    limit = 3
    mask = "1"

    def __init__(self, name=None):
        self.name = name

    @property
    def shown(self):
        return self.mask

    def pin(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.shown  # ~ wrong-visible-devices error, conflicting-pins error


class Changed:
    limit = 4
    mask = "1"

    @staticmethod
    def pin():
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = Changed.mask


class Never:
    gpu_id: int = 1  # ~ device-not-allowed error

    def pin(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "7"
