import asyncio

import torch


async def main():
    torch.ones(2).cuda()  # ~ missing-visible-devices warning


loop = asyncio.new_event_loop()
loop.run_until_complete(main())
