import pytest
from weights import load


def test_refused(tmp_path, token):  # ~ gpu-test-without-cleanup note
    load(tmp_path, token)  # ~ missing-visible-devices warning
    with pytest.raises(ValueError):
        load(tmp_path, token)
    # Where the call above raised, nothing was loaded; here it is.
    load(tmp_path, token)


def test_loaded(tmp_path, token):  # ~ gpu-test-without-cleanup note
    load(tmp_path, token)
