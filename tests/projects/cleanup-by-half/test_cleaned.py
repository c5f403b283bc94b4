import gc
import unittest

import torch


class TestOfCards(unittest.TestCase):
    def tearDown(self):
        gc.collect()
        torch.cuda.empty_cache()

    def test_zeros(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))  # ~ missing-visible-devices warning

    def test_ones(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_rand(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_randn(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_full(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_empty(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_eye(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_arange(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_linspace(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_logspace(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_tril(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))

    def test_triu(self):
        self.assertIsNotNone(torch.ones(4, device="cuda"))
