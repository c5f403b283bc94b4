import pytest
import torch


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    return request.param


@pytest.fixture(params=["cpu", pytest.param("meta", id="nothing")])
def slow_device(request):
    return request.param


@pytest.fixture(params=[1, 8])
def model(request):
    built = torch.nn.Linear(request.param, 1).to("cuda")
    yield built
    del built
    torch.cuda.empty_cache()


def test_on_each(device):  # ~ gpu-test-without-cleanup note
    assert torch.zeros(4, device=device).sum() == 0  # ~ missing-visible-devices warning


def test_on_none(slow_device):
    assert torch.zeros(4, device=slow_device).sum() == 0


def test_with_teardown(model):
    assert model is not None
