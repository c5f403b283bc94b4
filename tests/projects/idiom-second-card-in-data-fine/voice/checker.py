"""Looks for the other card in text; names it all the time and never uses it."""
import re

FORBIDDEN = [r"cuda:1", r"device\s*=\s*1"]
PATTERN = re.compile(r"torch\.device\(.cuda:1.\)")


def faults(text):
    """Lines such as `model.to("cuda:1")`.

    >>> faults('x.to("cuda:1")')
    ['x.to("cuda:1")']
    """
    return [line for line in text.splitlines() if "cuda:1" in line or PATTERN.search(line)]


def is_other_card(name):
    return name == "cuda:1"
