import unittest

import torch


class VoiceTest(unittest.TestCase):
    def test_moves(self):
        device = torch.device("cuda", 1)
        value = torch.zeros(4, device=device)
        match value.numel():
            case 4: self.assertTrue(value.is_cuda)
            case _: self.fail("size")


if __name__ == "__main__": unittest.main()
