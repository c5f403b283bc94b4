import asyncio
import contextlib
import os


@contextlib.asynccontextmanager
async def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield


async def main():
    async with pinned():
        import torch

        torch.ones(1).cuda()


asyncio.run(main())
