import unittest

import torch


class Parallel(unittest.TestCase):
    @unittest.skipIf(torch.cuda.device_count() < 2, "needs two GPUs")
    def test_second(self):
        torch.ones(1).to("cuda:1")


def requires(function):
    return unittest.skipUnless(torch.cuda.device_count() > 1, "needs two GPUs")(function)
