import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import pynvml
import ray

pynvml.nvmlInit()
handle = pynvml.nvmlDeviceGetHandleByIndex(1)
print(pynvml.nvmlDeviceGetName(handle))


@ray.remote(num_gpus=1)
def work():
    return 1
