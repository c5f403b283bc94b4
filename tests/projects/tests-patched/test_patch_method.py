"""Methods that are replaced in a class, by the name of a class below the one that has them."""
from unittest.mock import patch

import torch
import torch.nn as nn

from service import Mover, NetOnCard


@patch("service.Mover._move")
def test_method_of_a_base(moved):
    mover = Mover(nn.Linear(2, 2))
    mover.start()
    moved.assert_called_once()


def test_method_of_a_library():
    with patch.object(nn.Module, "to"):
        NetOnCard().prepare()


def test_method_of_something(batch):
    with patch("torch.Tensor.to", return_value=torch.zeros(1)):
        batch.to("cuda")


def test_nothing_replaced():  # ~ gpu-test-without-cleanup note
    mover = Mover(nn.Linear(2, 2))
    mover.start()  # ~ missing-visible-devices note
