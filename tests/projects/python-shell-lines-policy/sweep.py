import os
import subprocess

COMMAND = "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python train.py"  # ~ wrong-visible-devices error
subprocess.run(COMMAND, shell=True)
os.system("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 python train.py --again")
os.system("CUDA_VISIBLE_DEVICES=0 python train.py --again")  # ~ missing-device-order error
