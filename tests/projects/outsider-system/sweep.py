import os
import subprocess

for seed in range(3):
    os.system(f"CUDA_VISIBLE_DEVICES=0-1 python train.py --seed {seed}")  # ~ visible-devices-truncated error, missing-device-order warning
subprocess.run(["sh", "-c", "CUDA_DEVICES_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=GPU-5c1f93a2 python train.py"])  # ~ gpu-env-name-typo error
os.system("export CUDA_VISIBLE_DEVICES=1")  # ~ gpu-env-in-subshell error
