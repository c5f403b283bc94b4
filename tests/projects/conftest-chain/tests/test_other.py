def test_other():
    import torch

    torch.ones(1).cuda()
