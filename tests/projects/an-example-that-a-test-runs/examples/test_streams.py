from streams import main  # ~ missing-visible-devices note


def test_main():
    assert main() is not None
