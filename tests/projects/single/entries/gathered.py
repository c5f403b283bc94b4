import asyncio
import os


async def work(n):
    import torch

    torch.ones(n).cuda()


async def main():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    await asyncio.gather(work(1), work(2))


asyncio.run(main())
