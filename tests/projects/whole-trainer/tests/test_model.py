from trainer.model import build


def test_shape():
    assert build("cpu") is not None
