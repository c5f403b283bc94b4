import os

import pytest
import torch


@pytest.mark.skip(reason="broken")
def test_never():
    torch.ones(1).cuda()
