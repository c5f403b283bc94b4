from unittest import mock


def run():
    with mock.patch("torch.cuda.current_device", return_value=1), mock.patch("torch.cuda.is_available", return_value=True):
        device = mock.MagicMock(name="cuda:1")
        return device
