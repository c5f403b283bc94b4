import asyncio, os, torch


async def check(card):
    await asyncio.sleep(0)
    if card == "9":
        raise ValueError(card)
    return card


async def main():
    for _ in range(2):
        try:
            await check("9")
        except ValueError:
            os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    try:
        await check("9")
        torch.cuda.init()
    except ValueError:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    await check("1")
    torch.cuda.init()


asyncio.run(main())
