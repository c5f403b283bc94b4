"""Tests of a made-up project. The name of each begins with what the plugin is to say of it."""

import ctypes
import threading
import unittest

import pytest
import torch

MIB = 1 << 20
KEPT, HANDLES, TRACEBACKS = [], [], []
BY_NAME = {}
CACHE = {}


def megabytes(count):
    return torch.zeros(count * MIB // 4, device="cuda:0")


def raw(size):
    """Memory that no allocator of a framework knows."""
    driver = ctypes.CDLL("libcuda.so.1")
    address = ctypes.c_uint64(0)
    assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) == 0
    HANDLES.append(address.value)


# What leaks.


def test_leak_four_megabytes():
    KEPT.append(megabytes(4))


def test_leak_smallest():
    KEPT.append(torch.zeros(1, device="cuda:0"))


def test_leak_of_a_fixture(function_tensor):
    KEPT.append(function_tensor)


def test_leak_on_the_second_card():
    KEPT.append(torch.zeros(MIB, device="cuda:1"))


def test_leak_in_a_held_traceback():
    try:
        inside()
    except ValueError as error:
        TRACEBACKS.append(error)


def inside():
    activations = megabytes(2)
    raise ValueError(activations.shape)


class Registry:
    models = []


def test_leak_in_a_class():
    Registry.models.append(megabytes(1))


def test_leak_in_a_closure():
    tensor = megabytes(1)
    BY_NAME[len(BY_NAME)] = lambda: tensor


def test_leak_in_a_generator():
    def batches():
        batch = megabytes(1)
        while True:
            yield batch

    KEPT.append(batches())
    next(KEPT[-1])


def test_leak_in_a_thread():
    event = threading.Event()
    tensor = megabytes(1)

    def work():
        event.wait()
        return tensor

    threading.Thread(target=work, daemon=True).start()


def test_leak_as_gradient():
    weight = torch.zeros(10, device="cpu")
    weight.grad = megabytes(1)
    KEPT.append(weight)


@pytest.mark.parametrize("size", [1, 2])
def test_leak_with_parameters(size):
    KEPT.append(megabytes(size))


@pytest.mark.gpulint(leak="allow 1MiB")
def test_leak_beyond_what_is_allowed():
    KEPT.append(megabytes(2))


@pytest.mark.gpulint(leak="strict")
def test_leak_strict():
    CACHE["strict"] = megabytes(1)


def test_leak_that_only_the_driver_counts():
    raw(4 * MIB)


class TestClass:
    seen = []

    def test_leak_of_a_method(self):
        self.seen.append(megabytes(1))


class TestUnit(unittest.TestCase):
    def test_leak_of_unittest(self):
        KEPT.append(megabytes(1))


def test_leak_hidden_by_the_end_of_a_fixture(module_model):
    # The last test that uses it: as much comes back as the fixture had, and more is lost.
    KEPT.append(megabytes(3))


# What does not.


def test_clean_session_fixture(session_model):
    pass


def test_clean_module_fixture(module_model):
    pass


def test_clean_function_fixture(function_tensor):
    megabytes(8)


def test_clean_cycle():
    holder = {"tensor": megabytes(4)}
    holder["self"] = holder


class TestInstance:
    def setup_method(self):
        self.tensor = megabytes(4)

    def test_clean_instance(self):
        self.more = megabytes(4)


class TestUnitInstance(unittest.TestCase):
    def test_clean_unittest_instance(self):
        self.tensor = megabytes(4)


def test_clean_out_of_memory():
    with pytest.raises(torch.OutOfMemoryError):
        [megabytes(1024) for _ in range(100)]


def test_clean_caught_traceback():
    with pytest.raises(ValueError):
        inside()


def test_clean_frees_what_others_kept():
    KEPT.clear()


@pytest.mark.gpulint(leak="allow 4MiB")
def test_clean_allowed():
    KEPT.append(megabytes(4))


def test_clean_workspace_of_each_stream():
    # cuBLAS takes a workspace on each stream where it is first used; pytest runs this again on another.
    torch.cuda.current_stream += 1
    matrix = torch.zeros(100, 100, device="cuda:0")
    matrix @ matrix


def test_clean_driver_loads_code_once():
    if not HANDLES or HANDLES[-1] != "loaded":
        raw(4 * MIB)
        HANDLES.append("loaded")


def test_once_cached_by_a_fixture(loaded):
    pass


# What is kept once.


def test_once_cache():
    if "model" not in CACHE:
        CACHE["model"] = megabytes(16)


def test_once_global():
    global GLOBAL
    GLOBAL = megabytes(4)


def test_once_cache_with_two_places():
    CACHE[len(CACHE) % 2] = megabytes(1)


# What is not judged.


def test_grew_and_fails():
    KEPT.append(megabytes(4))
    assert not KEPT


def test_clean_fails_with_tensors_in_its_frames():
    activations = megabytes(64)
    assert activations is None


def test_clean_after_a_failure():
    megabytes(1)


@pytest.mark.xfail(raises=ValueError)
def test_clean_expected_failure():
    inside()


@pytest.mark.skip(reason="a case")
def test_clean_skipped():
    KEPT.append(megabytes(4))


def test_grew_and_skips():
    KEPT.append(megabytes(4))
    pytest.skip("a case")


@pytest.mark.gpulint(leak="ignore")
def test_grew_ignored():
    KEPT.append(megabytes(4))


def test_grew_and_cannot_run_again():
    assert "first" not in BY_NAME
    BY_NAME["first"] = megabytes(4)


@pytest.fixture
def fails_at_the_end():
    yield
    raise RuntimeError("no")


def test_grew_and_errs(fails_at_the_end):
    KEPT.append(megabytes(4))
