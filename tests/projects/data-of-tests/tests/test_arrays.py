from tests.arrays import ONES  # ~ missing-visible-devices warning


def test_shape():
    assert ONES.shape == (3,)
