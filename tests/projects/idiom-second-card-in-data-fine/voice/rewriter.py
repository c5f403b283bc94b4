"""Rewrites scripts: the card that it replaces is not one that it uses."""
import argparse
import logging
import re

log = logging.getLogger(__name__)
REPLACED = {"cuda:1": "cuda:0", "device=1": "device=0"}


def rewritten(text):
    log.info("replacing %s", "cuda:1")
    text = text.replace("cuda:1", "cuda:0")
    return re.sub(r"cuda:1", "cuda:0", text)


def checked(device):
    assert device != "cuda:1", "cuda:1 is the other card"
    if device.startswith("cuda:1"):
        raise ValueError(f"{device} is cuda:1")
    return {"cuda:0": "right", "cuda:1": "wrong"}[device]


def parsed():
    parser = argparse.ArgumentParser(description="never cuda:1", epilog="cuda:1")
    parser.add_argument("--device", default="cuda:0", help="cuda:1 is the other card")
    return parser.parse_args()
