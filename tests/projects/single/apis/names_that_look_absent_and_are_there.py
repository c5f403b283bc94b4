from unittest.mock import MagicMock, patch

import torch


class Cache:
    def clear_cache(self):
        self.total_mem = 0
        return self.total_mem


def probe():
    names = ["torch.cuda.clear_cache", "torch.hip"]
    if hasattr(torch.cuda, "get_memory_info"):
        names.append(str(torch.cuda.get_memory_info()))
    try:
        torch.cuda.reset_memory_stats()
    except AttributeError:
        print("no such reset")
    return names, Cache().clear_cache(), torch.cuda.utilization, torch.cuda.OutOfMemoryError


def test_probe():
    fake = MagicMock()
    fake.cuda.clear_cache()
    with patch("torch.cuda.clear_cache", create=True):
        assert getattr(torch.cuda, "memory_info", None) is None
