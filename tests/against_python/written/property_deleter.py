import os


class Slot:
    @property
    def card(self):
        return "1"

    @card.deleter
    def card(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"


slot = Slot()
del slot.card


class Kept:
    def __delattr__(self, name):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


kept = Kept()
kept.card = "3"
del kept.card
