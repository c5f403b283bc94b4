"""Checks that ask the card, under many names."""
import sys

import torch


def only_the_large_card(least=20):
    memory = torch.cuda.get_device_properties(0).total_memory / 1024**3
    if memory < least:
        raise RuntimeError(f"{memory:.1f} GB is another card")


def by_name():
    name = torch.cuda.get_device_name(0)
    if "3090" not in name:
        print(f"{name} is another card")
        sys.exit(1)


def by_assertion():
    assert "3090" in torch.cuda.get_device_name(0)


def run_all(checks):
    for check in checks:
        check()


class Guard:
    def __init__(self):
        self.check()

    def check(self):
        if torch.cuda.mem_get_info()[1] < 20 * 1024**3:
            raise SystemExit("another card")
