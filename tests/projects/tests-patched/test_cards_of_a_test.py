"""A test that says itself how many cards there are tries out what reads the mask."""
import os
from unittest.mock import patch

import torch

torch.cuda.is_available()


def index_of(rank):
    return os.environ["CUDA_VISIBLE_DEVICES"].split(",")[rank]


@patch("torch.cuda.device_count", lambda: 4)
def test_index():
    os.environ["CUDA_VISIBLE_DEVICES"] = "2,3"
    assert index_of(1) == "3"


def test_without():
    os.environ["CUDA_VISIBLE_DEVICES"] = "2,3"  # ~ pin-after-cuda-init error, mask-left-by-test note
    assert index_of(1) == "3"
