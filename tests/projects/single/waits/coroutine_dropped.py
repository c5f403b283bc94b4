import asyncio
import os

import torch


async def work():
    torch.cuda.init()


async def main():
    work()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note


asyncio.run(main())
