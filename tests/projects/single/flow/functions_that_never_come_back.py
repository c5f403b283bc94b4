"""Functions that never come back, however often they are called: what stands before such a call is behind nothing."""
import os
import sys

import torch


def leave():
    sys.exit(1)


def fail(text):
    raise ValueError(text)


def refuse(text="no"):
    fail(text)


if len(sys.argv) > 1:
    leave()
if len(sys.argv) > 2:
    torch.ones(1).cuda()  # ~ missing-visible-devices note
    leave()
if len(sys.argv) > 3:
    torch.ones(2).cuda()
    fail("no")
if len(sys.argv) > 4:
    torch.ones(3).cuda()
    fail("no")
if len(sys.argv) > 5:
    refuse()
if len(sys.argv) > 6:
    torch.ones(4).cuda()
    refuse()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1).cuda()
