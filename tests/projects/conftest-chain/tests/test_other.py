def test_other():  # ~ gpu-test-without-cleanup warning
    import torch

    torch.ones(1).cuda()
