import asyncio

import torch


async def work(index):
    torch.zeros(1, device="cuda")  # ~ missing-visible-devices warning
    return index


async def main():
    await asyncio.gather(*(work(index) for index in range(2)))


asyncio.run(main())
