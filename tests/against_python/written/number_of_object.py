import os


class Card:
    def __int__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        return 3


os.environ["CUDA_VISIBLE_DEVICES"] = str(int(Card()))
