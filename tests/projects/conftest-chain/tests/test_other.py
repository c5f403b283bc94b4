def test_other():  # ~ gpu-test-without-cleanup note
    import torch

    torch.ones(1).cuda()
