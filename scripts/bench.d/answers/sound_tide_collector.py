"""Sound.  Collect tide gauges over an upstream that answers slowly.

Twelve sessions ask one upstream server (in this process) which answers after a
fixed delay; the sessions run side by side up to the number of connections that
the upstream allows.  Heavy parsing goes to a thread by asyncio.to_thread().

A hasty profiler might say: the event loop is idle most of the time (the
upstream is the limit and all its connections are in use), awaits in a loop are
sequential (the pages of one gauge depend on each other by a cursor), parsing
blocks the loop (it is in a thread; zlib and hashlib give the GIL free).
"""
import asyncio
import hashlib
import json
import math
import random
import zlib

GAUGES = 60
PAGES = 5
ALLOWED = 8             # connections that the upstream accepts
DELAY = 0.08
VALUES = 900


def page_of(gauge, cursor):
    rng = random.Random(gauge * 100 + cursor)
    values = [round(2.5 * math.sin((cursor * VALUES + k) / 372.6 * math.tau) + rng.gauss(0, 0.05), 3)
              for k in range(VALUES)]
    following = cursor + 1 if cursor + 1 < PAGES else None
    body = json.dumps({"gauge": gauge, "values": values, "next": following}).encode()
    return zlib.compress(body, 6)


class Upstream:
    """Answers `gauge cursor` lines; each answer takes its time."""

    def __init__(self):
        self.open = 0

    async def session(self, reader, writer):
        self.open += 1
        assert self.open <= ALLOWED
        while line := await reader.readline():
            gauge, cursor = map(int, line.split())
            await asyncio.sleep(DELAY)
            data = page_of(gauge, cursor)
            writer.write(len(data).to_bytes(4, "big") + data)
            await writer.drain()
        self.open -= 1
        writer.close()


def parse(data):
    body = zlib.decompress(data)
    page = json.loads(body)
    return page, hashlib.sha256(body).hexdigest()


def harmonics(values, periods=(372.6, 360.0, 387.0)):
    """Amplitude of some tidal periods."""
    out = []
    for period in periods:
        a = b = 0.0
        for k, value in enumerate(values):
            angle = k / period * math.tau
            a += value * math.cos(angle)
            b += value * math.sin(angle)
        out.append(2 * math.hypot(a, b) / len(values))
    return out


class Client:
    def __init__(self, port):
        self.port = port
        self.idle = asyncio.Queue()

    async def start(self):
        for _ in range(ALLOWED):
            self.idle.put_nowait(await asyncio.open_connection("127.0.0.1", self.port))

    async def page(self, gauge, cursor):
        reader, writer = await self.idle.get()
        try:
            writer.write(f"{gauge} {cursor}\n".encode())
            await writer.drain()
            size = int.from_bytes(await reader.readexactly(4), "big")
            return await reader.readexactly(size)
        finally:
            self.idle.put_nowait((reader, writer))

    async def stop(self):
        while not self.idle.empty():
            _, writer = self.idle.get_nowait()
            writer.close()
            await writer.wait_closed()


async def collect(client, gauge):
    """All pages of one gauge; each page names the next one."""
    values, sums, cursor = [], [], 0
    while cursor is not None:
        data = await client.page(gauge, cursor)
        page, digest = await asyncio.to_thread(parse, data)
        values += page["values"]
        sums.append(digest[:8])
        cursor = page["next"]
    return gauge, values, sums


async def run():
    upstream = Upstream()
    server = await asyncio.start_server(upstream.session, "127.0.0.1", 0)
    client = Client(server.sockets[0].getsockname()[1])
    await client.start()
    jobs = [collect(client, gauge) for gauge in range(GAUGES)]
    results = await asyncio.gather(*jobs)
    await client.stop()
    server.close()
    await server.wait_closed()
    return results


def main():
    results = asyncio.run(run())
    best = max((harmonics(values)[0], gauge) for gauge, values, _ in results)
    print(f"{len(results)} gauges, {sum(len(v) for _, v, _ in results)} values, "
          f"sum {results[0][2][0]}")
    print(f"highest M2 amplitude {best[0]:.4f} m at gauge {best[1]}")


if __name__ == "__main__":
    main()
