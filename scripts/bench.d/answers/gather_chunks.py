"""Fetches the stock pages of a shop over eight kept connections and adds up what is on the shelves.

What is wrong: the pages are fetched in chunks of eight with a gather for each chunk; the next chunk begins only when the
slowest page of the last one has come, so seven connections stand idle during every slow page.
First screen should say: the event loop is idle nearly all the time; fetch_all waits at each gather of a chunk for the one
slowest request (150 ms) while the others ended after 20 ms: the connections are used about a quarter of the time.
Mend: one gather over all pages; the pool of connections already bounds how many run at once.
"""
import asyncio
import os
import time
import zlib

PAGES = 176
CONNECTIONS = 8


def delay(page):
    """A page with a long history takes longer to render."""
    slow = page % CONNECTIONS == zlib.crc32(b"%d" % (page // CONNECTIONS)) % CONNECTIONS
    return 0.15 if slow else 0.02


async def serve(reader, writer):
    while line := await reader.readline():
        page = int(line.split(b"/")[1])
        await asyncio.sleep(delay(page))
        writer.write(b"%d %d\n" % (page, page * 7919 % 1000))
        await writer.drain()
    writer.close()


def server_process(pipe):
    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        os.write(pipe, b"%d" % server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(run())


class Shop:
    def __init__(self):
        self.idle = asyncio.Queue()
        self.busy = 0.0
        self.lost = 0.0

    async def open(self, port):
        for _ in range(CONNECTIONS):
            self.idle.put_nowait(await asyncio.open_connection("127.0.0.1", port))

    async def fetch(self, page):
        connection = await self.idle.get()
        began = time.perf_counter()
        try:
            reader, writer = connection
            writer.write(b"GET /%d\n" % page)
            number, stock = (await reader.readline()).split()
            return int(number), int(stock)
        finally:
            self.busy += time.perf_counter() - began
            self.idle.put_nowait(connection)

    async def fetch_all(self, pages):
        results = []
        for at in range(0, len(pages), CONNECTIONS):
            began, before = time.perf_counter(), self.busy
            chunk = pages[at : at + CONNECTIONS]
            results += await asyncio.gather(*map(self.fetch, chunk))  # FAULT awaits-in-turn
            self.lost += time.perf_counter() - began - (self.busy - before) / CONNECTIONS
        return results


async def main(port):
    shop = Shop()
    await shop.open(port)
    results = await shop.fetch_all(list(range(PAGES)))
    print("pages", len(results), "stock", sum(stock for _, stock in results))
    print("empty", [page for page, stock in results if stock < 10])
    print("truth %.3f" % shop.lost)


end, pipe = os.pipe()
child = os.fork()
if child == 0:
    server_process(pipe)
asyncio.run(main(int(os.read(end, 16))))
os.kill(child, 15)
os.waitpid(child, 0)
