import asyncio, os, torch

order = []


async def mark(name):
    order.append(name)
    if len(order) == 3:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


async def ask(name):
    await asyncio.sleep(0)
    asyncio.create_task(mark(name))
    return name


async def main():
    await ask("a")
    await ask("a")
    await ask("a")
    await ask("a")
    await asyncio.sleep(0)
    if len(order) >= 3:
        torch.cuda.init()


asyncio.run(main())
