import asyncio
import os

import torch


async def use():
    torch.ones(1).cuda()


async def main():
    pending = use()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    await pending


asyncio.run(main())
