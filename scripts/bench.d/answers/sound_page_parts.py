"""Product pages of a shop, which four back ends make together, and caches that are sent each page when it is made.

Sound.  The handler asks the four at the same time, over a few kept connections, and a page takes as long as the
slowest of them; the back ends' answers are what is waited for.
A hasty profiler might say wrongly: that the handler awaits its peers in turn (it sends a page to each of the caches in
a loop, but waits for no answer, and drain() returns at once); that the customers should ask for all their pages at
the same time (each stands for a person, who reads one page after the other); that the loop is idle.
"""
import asyncio
import html
import json
import random

PARTS = ("product", "price", "stock", "reviews")
CUSTOMERS = 4
PAGES = 210  # for each customer
KEPT = 4  # connections to each back end
CACHES = 3
WORDS = "oak steel lamp chair table shelf linen brass folding garden grey wide".split()


class BackEnd:
    """Stands for a service elsewhere: it takes 6 to 14 ms."""

    def __init__(self, name):
        self.name = name
        self.random = random.Random(name)

    async def answer(self, reader, writer):
        while line := await reader.readline():
            number = int(line)
            await asyncio.sleep(self.random.uniform(0.006, 0.014))
            text = " ".join(WORDS[(number * 5 + at * at) % len(WORDS)] for at in range(60))
            writer.write(json.dumps({"part": self.name, "number": number, "text": text}).encode() + b"\n")
            await writer.drain()
        writer.close()


class Shop:
    def __init__(self):
        self.kept = {}
        self.subscribers = []

    async def connect(self, name, port):
        self.kept[name] = asyncio.Queue()
        for _ in range(KEPT):
            self.kept[name].put_nowait(await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, name, number):
        connection = reader, writer = await self.kept[name].get()
        writer.write(b"%d\n" % number)
        await writer.drain()
        answer = json.loads(await reader.readline())
        self.kept[name].put_nowait(connection)
        return html.escape(answer["text"])

    async def subscribe(self, reader, writer):
        self.subscribers.append(writer)
        await reader.read()  # until it goes
        self.subscribers.remove(writer)
        writer.close()

    async def handle(self, reader, writer):
        while line := await reader.readline():
            number = int(line)
            texts = await asyncio.gather(*(self.ask(name, number) for name in PARTS))
            sections = "".join(f"<div id='{name}'>{text}</div>" for name, text in zip(PARTS, texts))
            page = f"<html><h1>No. {number}</h1>{sections}</html>\n".encode()
            for subscriber in self.subscribers:
                subscriber.write(page)
                await subscriber.drain()
            writer.write(page)
            await writer.drain()
        writer.close()

    def close(self):
        for queue in self.kept.values():
            while not queue.empty():
                queue.get_nowait()[1].close()


async def cache(port, pages):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while page := await reader.readline():
            pages[page[:30]] = page
    finally:
        writer.close()


async def customer(port, numbers):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    size = 0
    for number in numbers:
        writer.write(b"%d\n" % number)
        await writer.drain()
        size += len(await reader.readline())
    writer.close()
    return size


async def main():
    shop = Shop()
    servers = [await asyncio.start_server(BackEnd(name).answer, "127.0.0.1", 0) for name in PARTS]
    for name, server in zip(PARTS, servers):
        await shop.connect(name, server.sockets[0].getsockname()[1])
    servers += [await asyncio.start_server(take, "127.0.0.1", 0) for take in (shop.subscribe, shop.handle)]
    feed, port = (server.sockets[0].getsockname()[1] for server in servers[-2:])
    shelves = [{} for _ in range(CACHES)]
    caches = [asyncio.create_task(cache(feed, pages)) for pages in shelves]
    sizes = await asyncio.gather(*(customer(port, range(n, CUSTOMERS * PAGES, CUSTOMERS)) for n in range(CUSTOMERS)))
    for task in caches:
        task.cancel()
    shop.close()
    await asyncio.sleep(0.05)  # for the back ends to see it
    print("bytes", sum(sizes), "kept", [len(pages) for pages in shelves])


asyncio.run(main())
