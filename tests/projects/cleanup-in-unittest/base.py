import gc
import unittest

import torch


class GpuCase(unittest.TestCase):
    def tearDown(self):
        super().tearDown()
        gc.collect()
        torch.cuda.empty_cache()


class ReleasesMemory:
    def tearDown(self):
        super().tearDown()
        gc.collect()
        torch.cuda.empty_cache()
