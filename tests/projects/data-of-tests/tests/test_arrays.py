from tests.arrays import ONES  # ~ missing-visible-devices note


def test_shape():
    assert ONES.shape == (3,)
