import contextlib
import os
import time

import torch


@contextlib.contextmanager
def measured():
    yield "1"
    torch.ones(1).cuda()


def choose():
    with measured() as card:
        if time.time() > 0:
            return card
        os.environ["CUDA_VISIBLE_DEVICES"] = card
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


def choose_in_turn():
    for card in ["2", "3"]:
        with measured():
            if os.environ.get("MODE") == "slow":
                os.environ["CUDA_VISIBLE_DEVICES"] = card
            else:
                break


choose_in_turn()
choose()
