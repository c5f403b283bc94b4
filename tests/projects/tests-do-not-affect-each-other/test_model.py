import os


def test_first():  # ~ gpu-test-without-cleanup note
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ mask-left-by-test note
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    import torch

    torch.ones(1).cuda()


def test_second():  # ~ gpu-test-without-cleanup note
    import torch

    torch.ones(1).cuda()  # ~ missing-visible-devices warning
