import unittest
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch
from tools.cards import require_big_card


class VoiceTest(unittest.TestCase):
    def test_moves(self):
        device = torch.device("cuda", 0)
        require_big_card()
        value = torch.zeros(4, device=device)
        match value.numel():
            case 4: self.assertTrue(value.is_cuda)
            case _: self.fail("size")


if __name__ == "__main__": unittest.main()
