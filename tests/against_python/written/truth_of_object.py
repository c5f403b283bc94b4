import os


class Cards:
    def __len__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        return 0


class Card:
    def __bool__(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return True


if not Cards() and Card():
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
if Cards() or bool(Card()):
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
