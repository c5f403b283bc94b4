import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import unittest

import torch


class Cards(unittest.TestCase):
    def test_sum(self):  # ~ gpu-test-without-cleanup warning
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


class Careful(unittest.TestCase):
    def tearDown(self):
        torch.cuda.empty_cache()

    def test_sum(self):
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


if __name__ == "__main__":
    unittest.main()
