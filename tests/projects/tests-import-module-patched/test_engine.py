from unittest.mock import patch

import pytest

import engine


def test_missing():
    with patch("engine.import_module", side_effect=ModuleNotFoundError("faster_whisper")):
        with pytest.raises(ModuleNotFoundError):
            engine.create("tiny")
