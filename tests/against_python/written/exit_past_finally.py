import os
import sys


def clean():
    if "CUDA_DEVICE_ORDER" in os.environ:
        pass


try:
    sys.exit()
except Exception:
    pass
else:
    pass
finally:
    clean()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
