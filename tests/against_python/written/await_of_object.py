import os
import torch
import asyncio
class A:
    def __await__(self):
        torch.cuda.init()
        yield from asyncio.sleep(0).__await__()
        return 3
async def main():
    if await A() == 3:
        torch.cuda.current_device()
asyncio.run(main())
