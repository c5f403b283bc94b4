import functools
import unittest

import torch


@functools.lru_cache
def model():
    return torch.nn.Linear(4, 4).to("cuda:0")


class TestOfAClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = torch.zeros(4, device="cuda")  # ~ missing-visible-devices warning

    def test_class(self):  # ~ gpu-test-without-cleanup warning
        assert self.model.is_cuda


def test_cached():  # ~ gpu-test-without-cleanup warning
    assert model() is model()


def test_gone_with_its_end():  # ~ gpu-test-without-cleanup note
    assert torch.zeros(4, device="cuda").is_cuda
