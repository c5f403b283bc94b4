import asyncio
import os
import torch


async def use():
    torch.cuda.init()


async def choose():
    await asyncio.sleep(0)
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


async def main():
    await asyncio.gather(choose(), use())


asyncio.run(main())
