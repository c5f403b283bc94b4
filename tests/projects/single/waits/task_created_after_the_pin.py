import asyncio
import os


async def work():
    import torch

    torch.cuda.init()


async def main():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    task = asyncio.create_task(work())
    await task


asyncio.run(main())
