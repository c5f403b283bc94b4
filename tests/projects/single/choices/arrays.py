import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import cupy as cp
from numba import cuda

cp.cuda.Device(1).use()  # ~ device-outside-mask error
with cp.cuda.Device(1):  # ~ device-outside-mask error
    cp.zeros(1)
cp.cuda.runtime.setDevice(1)  # ~ device-outside-mask error
cuda.select_device(1)  # ~ device-outside-mask error
with cuda.gpus[1]:  # ~ device-outside-mask error
    print("second")
cp.zeros((1, 2))
cuda.to_device([1])
