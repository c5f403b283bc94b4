import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import gc

import pytest
import torch


def build():
    return torch.nn.Linear(2, 2).cuda()


def clean():
    gc.collect()
    torch.cuda.empty_cache()


def checked(model):
    try:
        return model.weight.is_cuda
    finally:
        clean()


def test_whole():
    try:
        assert build().weight.is_cuda
    finally:
        clean()


def test_built_before():
    model = build()
    try:
        assert model.weight.is_cuda
    finally:
        del model
        clean()


def test_only_del():
    model = build()
    try:
        assert model.weight.is_cuda
    finally:
        del model


def test_only_none():
    model = build()
    try:
        assert model.weight.is_cuda
    finally:
        model = None


def test_if_there_is_one():
    model = build()
    try:
        assert model.weight.is_cuda
    finally:
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def test_twice():
    clean()
    for size in (2, 4):
        try:
            assert torch.ones(size, device="cuda").sum() == size
        finally:
            clean()


def test_success_only():  # ~ gpu-test-without-cleanup note
    model = build()
    assert model.weight.is_cuda
    del model
    clean()


def test_except_only():  # ~ gpu-test-without-cleanup note
    try:
        assert build().weight.is_cuda
    except RuntimeError:
        clean()
        raise


def test_behind_finally():  # ~ gpu-test-without-cleanup note
    try:
        assert build().weight.is_cuda
    finally:
        clean()
    assert torch.ones(2, device="cuda").sum() == 2


def test_finally_of_a_helper():  # ~ gpu-test-without-cleanup note
    model = build()
    assert checked(model)


def test_finally_that_does_something_else():  # ~ gpu-test-without-cleanup note
    started = []
    try:
        assert build().weight.is_cuda
    finally:
        started.append(1)
        torch.cuda.synchronize()


def test_raises():  # ~ gpu-test-without-cleanup note
    with pytest.raises(RuntimeError):
        torch.ones(2, device="cuda") + torch.ones(3, device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_where_there_is_a_gpu():  # ~ gpu-test-without-cleanup note
    assert build().weight.is_cuda


def test_on_what_there_is():  # ~ gpu-test-without-cleanup note
    device = "cuda" if torch.cuda.is_available() else "cpu"
    assert torch.ones(2, device=device).sum() == 2
