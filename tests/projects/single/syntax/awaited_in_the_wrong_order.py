import asyncio
import os

import torch


async def use():
    torch.ones(1).cuda()


async def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error


async def main():
    await use()
    await pin()


asyncio.run(main())
