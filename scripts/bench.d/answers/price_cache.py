"""Values portfolios with prices from a service, through a cache that is shared by ten tasks.

What is wrong: the cache holds its one asyncio lock while it awaits the answer for a missing price, so that ten tasks ask
the service one after the other.
First screen should say: the process is idle most of the time: the tasks stand at the lock in PriceCache.get while its
holder awaits the network; requests never overlap.
Mend: a lock for each key (or the pending future in the cache), so that different keys are fetched at the same time.
"""
import asyncio
import collections
import os
import socket
import time

DELAY = 0.016
TASKS = 10


class PriceService:
    """The far side, in a process of its own."""

    @staticmethod
    async def answer(reader, writer):
        while line := await reader.readline():
            await asyncio.sleep(DELAY)
            symbol = line.decode().strip()
            writer.write(b"%d\n" % (sum(map(ord, symbol)) * 7))
            await writer.drain()
        writer.close()

    @classmethod
    def serve(cls, listener):
        async def run():
            server = await asyncio.start_server(cls.answer, sock=listener)
            await server.serve_forever()
        asyncio.run(run())


class Client:
    def __init__(self, port):
        self.port = port
        self.idle = asyncio.Queue()

    async def connect(self, n):
        for _ in range(n):
            self.idle.put_nowait(await asyncio.open_connection("127.0.0.1", self.port))

    async def price(self, symbol):
        reader, writer = connection = await self.idle.get()
        writer.write(symbol.encode() + b"\n")
        answer = await reader.readline()
        self.idle.put_nowait(connection)
        return int(answer)

    async def close(self):
        while not self.idle.empty():
            self.idle.get_nowait()[1].close()


class PriceCache:
    def __init__(self, client):
        self.client = client
        self.prices = {}
        self.locks = collections.defaultdict(asyncio.Lock)
        self.lock = asyncio.Lock()

    async def get(self, symbol):
        if symbol in self.prices:
            return self.prices[symbol]
        async with self.lock:  # FAULT awaits-in-turn
            if symbol not in self.prices:
                self.prices[symbol] = await self.client.price(symbol)  # FAULT awaits-in-turn
            return self.prices[symbol]


def simulate(positions, steps):
    """What the portfolio may be worth, by a small tree of moves."""
    value = [float(p * n) for p, n in positions]
    worst = best = sum(value)
    for step in range(steps):
        up = 1.0 + 0.01 * ((step * 37) % 11 - 5) / 10
        value = [v * up if i % 3 else v / up for i, v in enumerate(value)]
        total = sum(value)
        worst, best = min(worst, total), max(best, total)
    return worst, best


async def portfolio(cache, number):
    positions = []
    for k in range(18):
        symbol = f"SYM{(number * 18 + k) % 190}"
        positions.append((await cache.get(symbol), k + 1))
    return simulate(positions, 9000)


async def main(port):
    client = Client(port)
    await client.connect(TASKS)
    cache = PriceCache(client)
    todo = iter(range(40))

    async def worker():
        return [await portfolio(cache, number) for number in todo]

    results = await asyncio.gather(*(worker() for _ in range(TASKS)))
    began = time.perf_counter()
    await client.price("NEW")
    single = time.perf_counter() - began
    began = time.perf_counter()
    await asyncio.gather(*(client.price(f"NEW{i}") for i in range(TASKS)))
    together = time.perf_counter() - began
    await client.close()
    print("best", round(max(best for some in results for _, best in some)))
    print("truth", len(cache.prices) * (single - together / TASKS))


listener = socket.create_server(("127.0.0.1", 0))
child = os.fork()
if child == 0:
    try:
        PriceService.serve(listener)
    finally:
        os._exit(0)
asyncio.run(main(listener.getsockname()[1]))
os.kill(child, 9)
os.waitpid(child, 0)
