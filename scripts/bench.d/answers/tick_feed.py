"""Publish market snapshots to subscribers over a socket stream.

What is wrong: the publisher never awaits drain(): frames pile up in the transports faster than the subscribers read.
First screen should say: what writer.write() in Publisher.publish was given is nearly all memory at the peak, 300 MB.
Mend: await writer.drain() after each write.
"""
import array
import asyncio
import hashlib
import random
import resource
import struct
import zlib

HEAD = struct.Struct("!IQ")
SNAPSHOTS = 560
INSTRUMENTS = 40_000
SUBSCRIBERS = 2


class Market:
    """Random walk of all instruments; every snapshot has all the prices."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.prices = array.array("d", (self.rng.uniform(5, 500)
                                        for _ in range(INSTRUMENTS)))
        self.number = 0

    async def next_snapshot(self):
        if self.number == SNAPSHOTS:
            return None
        rng, prices = self.rng, self.prices
        for _ in range(8000):
            k = rng.randrange(INSTRUMENTS)
            prices[k] = round(prices[k] * rng.uniform(0.99, 1.0101), 4)
        self.number += 1
        await asyncio.sleep(0)
        return self.number, prices.tobytes()


class Publisher:
    def __init__(self, market, expected):
        self.market = market
        self.expected = expected
        self.writers = []
        self.complete = asyncio.Event()

    async def subscribe(self, reader, writer):
        self.writers.append(writer)
        if len(self.writers) == self.expected:
            self.complete.set()

    async def publish(self):
        await self.complete.wait()
        self.begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        while snapshot := await self.market.next_snapshot():
            number, body = snapshot
            frame = HEAD.pack(len(body), number) + body
            for writer in self.writers:
                writer.write(frame)  # FAULT unsent-data
        for writer in self.writers:
            writer.close()


class Subscriber:
    def __init__(self, name, port):
        self.name = name
        self.port = port
        self.received = 0
        self.seal = hashlib.blake2b(digest_size=8)
        self.crc = 0

    async def run(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while True:
            try:
                head = await reader.readexactly(HEAD.size)
            except asyncio.IncompleteReadError:
                break
            size, number = HEAD.unpack(head)
            body = await reader.readexactly(size)
            self.consume(number, body)
        writer.close()

    def consume(self, number, body):
        self.received += 1
        self.seal.update(body)
        self.crc = zlib.crc32(body, self.crc)
        prices = array.array("d")
        prices.frombytes(body)
        self.highest = max(prices)
        self.mean = sum(prices) / len(prices)


async def main():
    publisher = Publisher(Market(3), SUBSCRIBERS)
    server = await asyncio.start_server(publisher.subscribe, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    subscribers = [Subscriber("sub%d" % n, port) for n in range(SUBSCRIBERS)]
    await asyncio.gather(publisher.publish(), *(s.run() for s in subscribers))
    server.close()
    await server.wait_closed()
    for s in subscribers:
        print(s.name, s.received, s.seal.hexdigest(), "%08x" % s.crc,
              "max %.4f mean %.4f" % (s.highest, s.mean))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print("truth %d bytes" % (1024 * (most - publisher.begun)))


if __name__ == "__main__":
    asyncio.run(main())
