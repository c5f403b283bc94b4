import asyncio, os, torch

left = 4


async def again():
    global left
    left -= 1
    if left:
        asyncio.create_task(again())
    else:
        torch.cuda.init()


async def begin():
    asyncio.create_task(again())


async def main():
    global left
    await begin()
    await asyncio.sleep(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    left = 2
    await begin()
    await asyncio.sleep(1)
    left = 2
    await begin()
    await asyncio.sleep(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


asyncio.run(main())
