import os

import pytest

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


@pytest.fixture(scope="session", autouse=True)
def one_card():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield
