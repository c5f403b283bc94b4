import subprocess

CUDA_VISIBLE_DEVICES = "0"


def start():
    subprocess.run(f"CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={CUDA_VISIBLE_DEVICES} ./train", shell=True)
