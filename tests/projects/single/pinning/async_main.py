import asyncio
import os


async def main():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    import torch

    await asyncio.sleep(0)
    torch.ones(2).cuda()


if __name__ == "__main__":
    asyncio.run(main())
