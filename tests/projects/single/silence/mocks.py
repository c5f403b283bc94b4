from unittest import mock
from unittest.mock import MagicMock, patch


def report():
    import torch

    return torch.cuda.get_device_name(1)


with patch("torch.cuda.get_device_name", return_value="RTX 3090"):
    print(report())

gpu = MagicMock(device="cuda:1")
gpu.assert_called_with(device="cuda:1")
fake = mock.Mock(return_value="cuda:1")
