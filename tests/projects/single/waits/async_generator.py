import asyncio
import os

import torch


async def batches():
    for _ in range(2):
        yield torch.zeros(1).cuda()


async def main():
    stream = batches()
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    async for batch in stream:
        print(batch)


asyncio.run(main())
