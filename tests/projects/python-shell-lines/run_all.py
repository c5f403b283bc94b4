"""Starts each program with a card of its own."""
import os
import subprocess

os.system("CUDA_VISIBLE_DEVICES=1 python first.py")  # ~ missing-device-order warning
subprocess.run("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python second.py", shell=True, check=True)
subprocess.run(["bash", "-c", "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0; cd jobs && python third.py"])
os.system("python fourth.py")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
command = f"python fifth.py --seed {os.getpid()}"
os.popen(command)
