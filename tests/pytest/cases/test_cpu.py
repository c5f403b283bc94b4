"""Tests that are to do without the GPU. The name of each begins with what the plugin is to say of it."""

import importlib
import sys
import types

import pytest

pytestmark = pytest.mark.gpulint(mode="cpu")


def test_unmeasured_nothing():
    import json

    json.dumps([])


def test_unmeasured_what_is_not_there():
    with pytest.raises(ImportError):
        import numba.cuda  # noqa: F401


def test_unmeasured_made_up(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", types.ModuleType("cupy"))
    import cupy

    assert cupy.__spec__ is None


@pytest.mark.gpulint(mode="gpu")
def test_unmeasured_that_may():
    import jax  # noqa: F401


def test_used_import():
    import torch  # noqa: F401


def test_used_import_again():
    # Loaded since the test before; it counts all the same.
    import torch  # noqa: F401


def test_used_import_by_name():
    importlib.import_module("to" + "rch.cuda")


def test_used_import_and_hides_it(monkeypatch):
    with monkeypatch.context() as patch:
        import cupy

        for name in [name for name in sys.modules if name.startswith("cupy")]:
            patch.delitem(sys.modules, name)
    del cupy


@pytest.fixture
def array():
    import cupy

    return cupy.ndarray


def test_used_import_in_a_fixture(array):
    pass


def test_used_import_and_failed():
    import torch

    assert torch is None


def test_unmeasured_again():
    pass


def test_used_first_question():
    assert sys.modules["torch"].cuda.is_available() in (True, False)


def test_used_memory():
    sys.modules["torch"].zeros(10, device="cuda:0")


@pytest.mark.gpulint(mode="gpu")
def test_clean_that_may():
    import torch

    torch.zeros(10, device="cuda:0")
