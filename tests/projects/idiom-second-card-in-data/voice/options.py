"""Options in every form."""
import argparse
from dataclasses import dataclass, field
from typing import NamedTuple


class Options(NamedTuple):
    rate: int = 16000
    device: str = "cuda:1"  # ~ device-outside-mask error


@dataclass
class Layout:
    device: str = field(default_factory=lambda: "cuda:1")  # ~ device-outside-mask error


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda:1", help="cuda:1 is the other card")  # ~ device-outside-mask error
    return parser.parse_args()


def filled(**options):
    options.setdefault("device", "cuda:1")  # ~ device-outside-mask error
    return options
