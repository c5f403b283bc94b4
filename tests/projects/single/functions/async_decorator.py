import asyncio
import functools
import os


def pinned(function):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return await function(*args, **kwargs)

    return wrapper


@pinned
async def main(index=0):
    import torch

    torch.cuda.set_device(index)
    torch.cuda.set_device(index + 1)  # ~ device-outside-mask error


asyncio.run(main())
