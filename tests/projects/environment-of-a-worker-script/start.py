import os
import subprocess
import sys

for index in range(2):
    environment = dict(os.environ)
    environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    environment["CUDA_VISIBLE_DEVICES"] = str(index)
    subprocess.Popen([sys.executable, "worker.py"], env=environment)
