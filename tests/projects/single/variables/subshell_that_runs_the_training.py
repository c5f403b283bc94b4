import os
import subprocess

os.system(
    """
    export CUDA_DEVICE_ORDER=PCI_BUS_ID
    export CUDA_VISIBLE_DEVICES=1
    ./train --epochs 3
    """
)
subprocess.check_call(["bash", "-lc", "export CUDA_VISIBLE_DEVICES=0; ./train"])
