import pytest

# A cache of the project, not of a test.
LOADED = {}


@pytest.fixture(scope="session")
def session_model():
    import torch

    return torch.zeros(1000, 1000, device="cuda:0")


@pytest.fixture(scope="module")
def module_model(session_model):
    import torch

    model = torch.zeros(2000, 1000, device="cuda:0")
    yield model


@pytest.fixture
def function_tensor():
    import torch

    return torch.zeros(500, 500, device="cuda:0")


@pytest.fixture
def loaded():
    import torch

    if "model" not in LOADED:
        LOADED["model"] = torch.zeros(3000, 1000, device="cuda:0")
    return LOADED["model"]
