"""Sound: fetches feeds from a local service over a few kept connections at the same time and digests each.

The digesting is the work; the requests overlap with it. There is nothing here that is worth mending.
"""
import asyncio
import collections
import heapq
import json
import os
import socket

FEEDS = 6000
CONNECTIONS = 8


def make_feed(number):
    state = number * 7919 + 1
    entries = []
    for i in range(160):
        state = (state * 1103515245 + 12345) % 2 ** 31
        entries.append({"id": state, "title": f"entry {state % 977} of feed {number}", "rank": state % 10007 / 7,
                        "links": [state % 499, state % 503, state % 509]})
    return json.dumps(entries).encode()


def serve(listener):
    feeds = [make_feed(number) for number in range(24)]

    async def answer(reader, writer):
        while line := await reader.readline():
            body = feeds[int(line) % len(feeds)]
            writer.write(b"%d\n" % len(body) + body)
            await writer.drain()
        writer.close()

    async def run():
        server = await asyncio.start_server(answer, sock=listener)
        await server.serve_forever()

    asyncio.run(run())


class Digest:
    def __init__(self):
        self.links = collections.Counter()
        self.words = collections.Counter()
        self.best = []

    def add(self, number, entries):
        for entry in entries:
            self.links.update(entry["links"])
            self.words.update(entry["title"].split())
            item = (entry["rank"], entry["id"], number)
            if len(self.best) < 50:
                heapq.heappush(self.best, item)
            else:
                heapq.heappushpop(self.best, item)


async def main(port):
    digest = Digest()
    numbers = iter(range(FEEDS))

    async def worker():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            writer.write(b"%d\n" % number)
            length = int(await reader.readline())
            digest.add(number, json.loads(await reader.readexactly(length)))
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(worker() for _ in range(CONNECTIONS)))
    print("links", len(digest.links), "words", sum(digest.words.values()), "best", round(max(digest.best)[0], 2))


listener = socket.create_server(("127.0.0.1", 0))
child = os.fork()
if child == 0:
    try:
        serve(listener)
    finally:
        os._exit(0)
asyncio.run(main(listener.getsockname()[1]))
os.kill(child, 9)
os.waitpid(child, 0)
