import os
import subprocess

COMMAND = "CUDA_VISIBLE_DEVICES=0;1 python train.py"
BATCH = (
    "CUDA_DEVICE_ORDER=PCI_BUS "  # ~ wrong-device-order error
    "CUDA_VISIBLE_DEVICES=0 python train.py"
)


def train(epochs):
    subprocess.run(
        f"CUDA_VISIBLE_DEVICE=0 python train.py --epochs {epochs}",  # ~ gpu-env-name-typo error
        shell=True,
        check=True,
    )


os.system("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=512 python train.py")  # ~ alloc-conf-invalid error
os.system(BATCH)
train(3)
os.system("""
export CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_VISIBLE_DEVICES=0-3
# ~^ visible-devices-truncated error
python train.py \
    --epochs 3
""")
subprocess.run(["docker", "run", "--gpus", "device=1", "-e", "CUDA_VISIBLE_DEVICES=1", "trainer"])  # ~ double-device-remap error
