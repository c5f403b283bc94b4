import pytest
import torch


class TestOwnFixture:
    @pytest.fixture(autouse=True)
    def clean(self):
        yield
        torch.cuda.empty_cache()

    def test_sum(self):
        assert torch.ones(2, device="cuda").sum() == 2


@pytest.mark.usefixtures("released")
class TestMarked:
    def test_sum(self):
        assert torch.ones(2, device="cuda").sum() == 2


class TestMarkedInside:
    pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("released")]

    def test_sum(self):
        assert torch.ones(2, device="cuda").sum() == 2


class TestTeardownMethod:
    def setup_method(self):
        self.model = torch.nn.Linear(2, 2).cuda()

    def teardown_method(self):
        del self.model

    def test_forward(self):
        assert self.model(torch.ones(1, 2, device="cuda")).shape == (1, 2)


class TestNothing:
    def setup_method(self):
        self.device = "cuda"

    def test_sum(self):  # ~ gpu-test-without-cleanup warning
        assert torch.ones(2, device=self.device).sum() == 2
