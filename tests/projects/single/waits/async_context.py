import asyncio
import os
from contextlib import asynccontextmanager


@asynccontextmanager
async def session():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield


async def main():
    async with session():
        import torch

        torch.cuda.init()


asyncio.run(main())
