import asyncio

import torch


async def work():
    return torch.ones(2).cuda()  # ~ missing-visible-devices warning


async def main():
    await work()


if __name__ == "__main__":
    asyncio.run(main())
