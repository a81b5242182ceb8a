"""Collect 480 feeds from a service (a stub on localhost) that allows eight requests at a time.

Sound: nothing is wrong. The waiting is the service's: it answers after 30 ms and refuses (429) a ninth request,
so a semaphore of eight is right; 480 / 8 x 30 ms = 1.8 s is the least that it can take. The rest is parsing,
which is done in full while other requests are on their way.
"""
import asyncio
import random
import re
import threading
import time
import xml.etree.ElementTree as ET
from collections import defaultdict

FEEDS, ALLOWED, LATENCY = 480, 8, 0.03


def make_feed(number):
    rnd = random.Random(number)
    items = "".join(f"<item><title>Item {k} of {number}</title><author>a{rnd.randrange(50)}</author>"
                    f"<body>{' '.join(rnd.choices(['alpha', 'beta', 'gamma', 'delta'], k=60))}</body></item>"
                    for k in range(25))
    return f"<feed id='{number}'>{items}</feed>".encode()


class FeedService(threading.Thread):
    def __init__(self, feeds):
        super().__init__(daemon=True)
        self.feeds, self.port, self.ready, self.busy, self.refused = feeds, None, threading.Event(), 0, 0

    async def handle(self, reader, writer):
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1]
        if self.busy >= ALLOWED:
            self.refused += 1
            writer.write(b"HTTP/1.0 429 Too Many Requests\r\n\r\n")
        else:
            self.busy += 1
            await asyncio.sleep(LATENCY)
            self.busy -= 1
            writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + self.feeds[int(path[1:])])
        await writer.drain()
        writer.close()

    async def serve(self):
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await server.serve_forever()

    def run(self):
        asyncio.run(self.serve())


class Collector:
    def __init__(self, port):
        self.port = port
        self.slots = asyncio.Semaphore(ALLOWED)     # the service's published limit
        self.words = defaultdict(int)

    async def fetch(self, number):
        async with self.slots:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"GET /%d HTTP/1.0\r\n\r\n" % number)
            raw = await reader.read()
            writer.close()
        head, _, body = raw.partition(b"\r\n\r\n")
        if b" 200 " not in head:
            raise RuntimeError(head.decode())
        return body

    async def collect(self, number):
        root = ET.fromstring(await self.fetch(number))
        for item in root.iter("item"):
            for word in re.findall(r"\w+", item.findtext("body")):
                self.words[item.findtext("author"), word] += 1
        return len(root)

    async def run(self):
        return sum(await asyncio.gather(*(self.collect(n) for n in range(FEEDS))))


async def main():
    service = FeedService([make_feed(n) for n in range(FEEDS)])
    service.start()
    service.ready.wait()
    started = time.perf_counter()
    collector = Collector(service.port)
    items = await collector.run()
    print(f"{items} items, {len(collector.words)} author words, {service.refused} refused")
    print(f"total {time.perf_counter() - started:.3f}")


if __name__ == "__main__":
    asyncio.run(main())
