import torch


def test_zeros():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None  # ~ missing-visible-devices note


def test_ones():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_rand():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_randn():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_full():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_empty():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_eye():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_arange():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_linspace():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_logspace():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None


def test_tril():  # ~ gpu-test-without-cleanup note
    assert torch.ones(4, device="cuda") is not None
