import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import unittest

import torch

from base import GpuCase, ReleasesMemory


class Derived(GpuCase):
    def test_sum(self):
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


class MixedIn(ReleasesMemory, unittest.TestCase):
    def test_sum(self):
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


class MixedInTooLate(unittest.TestCase, ReleasesMemory):
    # `tearDown` of `TestCase` is found first, and it calls no other.
    def test_sum(self):  # ~ gpu-test-without-cleanup warning
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


class Plain(unittest.TestCase):
    def test_sum(self):  # ~ gpu-test-without-cleanup warning
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


class Registered(unittest.TestCase):
    def setUp(self):
        self.addCleanup(self.release)
        self.model = torch.nn.Linear(2, 2).cuda()

    def release(self):
        self.model = None

    def test_forward(self):
        self.assertEqual(self.model(torch.ones(1, 2, device="cuda")).shape, (1, 2))


class OfTheClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = torch.nn.Linear(2, 2).cuda()

    @classmethod
    def tearDownClass(cls):
        del cls.model
        torch.cuda.empty_cache()

    def test_forward(self):
        self.assertEqual(self.model(torch.ones(1, 2, device="cuda")).shape, (1, 2))


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def asyncTearDown(self):
        torch.cuda.empty_cache()

    async def test_sum(self):
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


class TearsDownOtherThings(unittest.TestCase):
    def tearDown(self):
        print("done")

    def test_sum(self):  # ~ gpu-test-without-cleanup warning
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)

    @unittest.skip("too large")
    def test_skipped(self):
        self.assertEqual(torch.ones(2, device="cuda").sum(), 2)


if __name__ == "__main__":
    unittest.main()
