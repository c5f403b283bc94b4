import argparse
import logging
from typing import Literal

Device = Literal["cuda:0", "cuda:1"]
NAMES = {"cuda:1": "RTX 5060 Ti", "cuda:0": "RTX 3090"}
log = logging.getLogger(__name__)


def describe(device: Literal["cuda:0", "cuda:1"] = "cuda:0") -> str:
    log.info("device %s of %s", device, "cuda:1")
    return NAMES[device]


parser = argparse.ArgumentParser(description="cuda:1 is the display card")
parser.add_argument("--device", default="cuda:0", choices=["cuda:0", "cuda:1"], help="cuda:0 or cuda:1")
print(describe(parser.parse_args().device))
