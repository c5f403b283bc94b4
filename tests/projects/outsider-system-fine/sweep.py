import os
import subprocess

for seed in range(3):
    os.system(f"CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={seed % 2} python train.py --seed {seed}")
env = dict(os.environ, CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES="1")
subprocess.run(["python", "train.py"], env=env, check=True)
print("run: CUDA_VISIBLE_DEVICES=all python train.py")
