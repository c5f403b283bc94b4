import asyncio, os, torch


class Node:
    def __init__(self, card):
        self.card = card
        self.seen = 0

    async def announce(self):
        self.seen += 1
        if self.card == "1" and self.seen == 2:
            torch.cuda.init()

    async def send(self):
        await asyncio.sleep(0)
        asyncio.ensure_future(self.announce())


async def main():
    first, second = Node("0"), Node("1")
    for _ in range(3):
        await first.send()
    await second.send()
    await second.send()
    await second.send()
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


asyncio.run(main())
