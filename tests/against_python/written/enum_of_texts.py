import enum
import os

import torch


class Mode(str, enum.Enum):
    FAST = "0"
    SLOW = "1"


class Plain(str, enum.Enum):
    FIRST = "0"

    def __str__(self):
        return self.value


def index(mode):
    return f"{mode}"


def named(mode):
    return "%s" % mode, str(mode), "{}".format(mode)


os.environ["CUDA_VISIBLE_DEVICES"] = Mode.SLOW
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = Mode.FAST.value
os.environ["CUDA_DEVICE_ORDER"] = str(Mode.FAST)
os.environ["CUDA_DEVICE_ORDER"] = index(Mode.SLOW)
for text in named(Mode.SLOW):
    os.environ["CUDA_DEVICE_ORDER"] = text
os.environ["CUDA_DEVICE_ORDER"] = str(Plain.FIRST)
os.environ["CUDA_VISIBLE_DEVICES"] = "1" + Mode.SLOW
os.environ["CUDA_VISIBLE_DEVICES"] = "yes" if str([Mode.SLOW]) == "['1']" else "no"
os.environ["CUDA_VISIBLE_DEVICES"] = "yes" if Mode.SLOW == "1" else "no"


class Named(enum.StrEnum):
    CARD = "1"


os.environ["CUDA_VISIBLE_DEVICES"] = str(Named.CARD)
os.environ["CUDA_VISIBLE_DEVICES"] = f"{Named.CARD}"
os.environ["CUDA_VISIBLE_DEVICES"] = "yes" if repr(Named.CARD) == "'1'" else "no"
os.environ["CUDA_VISIBLE_DEVICES"] = "yes" if f"{Named.CARD!r}" == "'1'" else "no"
