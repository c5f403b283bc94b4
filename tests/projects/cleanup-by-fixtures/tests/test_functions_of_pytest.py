import torch

model = None


def setup_function():
    global model
    model = torch.nn.Linear(2, 2).cuda()


def teardown_function():
    global model
    model = None
    torch.cuda.empty_cache()


def test_forward():
    assert model(torch.ones(1, 2, device="cuda")).shape == (1, 2)
