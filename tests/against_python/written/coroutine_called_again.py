import asyncio, os, torch


async def choose(card, late):
    if late:
        torch.cuda.init()
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    return card


async def main():
    last = None
    for card in ("0", "1", "0", "1"):
        last = await choose(card, False)
    last = await choose("0", False)
    if last == "0":
        await choose("1", True)
    await choose("0", True)


asyncio.run(main())
