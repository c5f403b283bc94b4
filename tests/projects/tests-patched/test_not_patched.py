from unittest.mock import patch

import service


@patch("service.Engine.warm_up")
def test_engine(warm_up):  # ~ gpu-test-without-cleanup note
    service.Engine("tiny")  # ~ missing-visible-devices warning
