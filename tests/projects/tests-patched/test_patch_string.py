from unittest.mock import patch

from service import Engine


def test_engine():
    with patch("service.load_model", return_value=None):
        Engine("tiny")


@patch("service.load_model")
def test_decorated(load_model):
    Engine("tiny")
    load_model.assert_called_once()
