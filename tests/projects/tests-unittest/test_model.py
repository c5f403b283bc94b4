import os
import unittest


class ModelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

    def setUp(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    def test_model(self):  # ~ gpu-test-without-cleanup note
        import torch

        torch.ones(1).cuda()


if __name__ == "__main__":
    unittest.main()
