import os


def test_first():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    import torch

    torch.ones(1).cuda()


def test_second():
    import torch

    torch.ones(1).cuda()  # ~ missing-visible-devices warning
