import os
import shlex
import subprocess
import sys
from unittest import mock

import torch

torch.cuda.init()  # ~ missing-visible-devices warning

# Each of these is for the program that it starts.
os.system("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python train.py")
subprocess.run("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0, python train.py", shell=True)
subprocess.run(["bash", "-c", "CUDA_VISIBLE_DEVICES= python train.py --cpu"])
for gpu in range(2):
    os.system(f"CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={gpu} python train.py --fold {gpu}")
    subprocess.Popen(["env", f"CUDA_VISIBLE_DEVICES={gpu}", sys.executable, "train.py"])
# Nothing starts here.
print("CUDA_VISIBLE_DEVICES=all python train.py")
os.system("echo 'CUDA_VISIBLE_DEVICES=all python train.py'")
USAGE = "CUDA_VISIBLE_DEVICES=all python train.py"
parts = shlex.split("CUDA_VISIBLE_DEVICES=all python train.py")
subprocess.run(["echo", "CUDA_VISIBLE_DEVICES=all"])
subprocess.run(["git", "commit", "-m", "CUDA_VISIBLE_DEVICES=all python train.py"])


class Parser:
    def system(self, text):
        return text


Parser().system("CUDA_VISIBLE_DEVICES=all python train.py")


@mock.patch("os.system")
def test_command(system):
    os.system("CUDA_VISIBLE_DEVICES=all python train.py")
