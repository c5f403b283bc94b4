from contextlib import ExitStack

import torch

from gpu.memory import Manager, Session, Timer, careful, careful_inside, careless, manager


def test_careful():
    with careful():
        assert torch.ones(2, device="cuda").sum() == 2


def test_careless():  # ~ gpu-test-without-cleanup warning
    with careless():
        assert torch.ones(2, device="cuda").sum() == 2


def test_careful_inside():
    with careful_inside():
        assert torch.ones(2, device="cuda").sum() == 2


def test_session():
    with Timer(), Session("sum") as session, torch.no_grad():
        assert session.name
        assert torch.ones(2, device="cuda").sum() == 2


def test_timer():  # ~ gpu-test-without-cleanup warning
    with Timer():
        assert torch.ones(2, device="cuda").sum() == 2


def test_before_it():  # ~ gpu-test-without-cleanup warning
    model = torch.nn.Linear(2, 2).cuda()
    with careful():
        assert model.weight.is_cuda


def test_manager_of_the_module():
    with manager.context("sum"):
        assert torch.ones(2, device="cuda").sum() == 2


def test_manager_of_its_own():
    own = Manager()
    for _ in range(3):
        with own.context("sum"):
            assert torch.ones(2, device="cuda").sum() == 2


def test_stack():
    with ExitStack() as stack:
        stack.enter_context(careful())
        stack.enter_context(Timer())
        assert torch.ones(2, device="cuda").sum() == 2


def test_stack_of_objects():
    with ExitStack() as stack:
        stack.enter_context(Session("sum"))
        assert torch.ones(2, device="cuda").sum() == 2


def test_empty_stack():  # ~ gpu-test-without-cleanup warning
    with ExitStack() as stack:
        stack.enter_context(Timer())
        assert torch.ones(2, device="cuda").sum() == 2
