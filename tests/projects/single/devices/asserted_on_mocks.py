from unittest import mock

loader = mock.Mock()
loader.load("m", device="cuda:0")
loader.load.assert_called_once_with("m", device="cuda:0")
for call in loader.load.call_args_list:
    assert call != mock.call("m", device="cuda:1")
