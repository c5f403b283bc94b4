"""Checks by their names; none of them asks the card."""
import os


def validate_gpu():  # ~ validation-reads-env-only note
    if os.environ.get("CUDA_VISIBLE_DEVICES") != "1":
        raise RuntimeError("wrong card")


def ensure_rtx3090():
    print("the RTX 3090 is used")


def validate_rtx3090_later():
    raise NotImplementedError
