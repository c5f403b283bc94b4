import asyncio, os, torch
async def work():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
async def main():
    task = asyncio.create_task(work())
    torch.cuda.init()
    await task
asyncio.run(main())
