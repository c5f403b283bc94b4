import unittest

import pytest
import torch


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_sum():  # ~ gpu-test-without-cleanup note
    assert torch.ones(2, device="cuda").sum().item() == 2


@unittest.skipUnless(torch.cuda.is_available(), "no GPU")
class TestMore(unittest.TestCase):
    def test_cuda(self):  # ~ gpu-test-without-cleanup note
        torch.ones(2).to("cuda:0")
