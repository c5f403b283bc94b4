import asyncio, os, torch


async def apply(**settings):
    settings.setdefault("CUDA_VISIBLE_DEVICES", "1")
    os.environ.update(settings)
    return settings


async def main():
    one = await apply()
    two = await apply()
    one["CUDA_VISIBLE_DEVICES"] = "5"
    three = await apply()
    if two["CUDA_VISIBLE_DEVICES"] == "1" and three is not two:
        torch.cuda.init()
    await apply(CUDA_VISIBLE_DEVICES="0")


asyncio.run(main())
