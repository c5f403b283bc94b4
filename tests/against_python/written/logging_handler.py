import os
import torch
import logging
class H(logging.Handler):
    def emit(self, record):
        torch.cuda.init()
log = logging.getLogger("x")
log.addHandler(H())
log.warning("a")
