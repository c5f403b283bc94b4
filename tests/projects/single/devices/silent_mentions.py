"""Models go to cuda:0; cuda:1 is the display card."""
import logging
import re

log = logging.getLogger(__name__)

# device = "cuda:1"
PATTERN = re.compile(r"\.to\(['\"]cuda:1['\"]\)")
FORBIDDEN = ["cuda:1", "cuda:2", ".cuda(1)"]


def check(source, device):
    """Refuse `model.to("cuda:1")`.

    >>> check("x.to('cuda:1')", "cuda:0")
    """
    if device == "cuda:1":
        raise ValueError("cuda:1 must not be used")
    if device in ("cuda:1", "cuda:2"):
        log.error("device %s instead of cuda:1", device)
    if device.startswith("cuda:1"):
        return False
    assert device != "cuda:1", "cuda:1 is the other card"
    return not PATTERN.search(source)


print(check("", "cuda:0"))
