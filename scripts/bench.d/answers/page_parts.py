"""Serves the pages of a newspaper, which four back ends make together: story, author, related stories and comments.

What is wrong: the handler asks the four one after the other, though none needs to know what another one has said.
First screen should say: a task awaits its peers one after the other for each request, at the loop in
PageServer.handle(), some 2.5 s; what is recorded tells the line and how often, and not for whom the loop waits.
Mend: asyncio.gather() of the four.
"""
import asyncio
import html
import json
import random
import time

# Entries that each back end has for an article.
PARTS = {"story": 40, "author": 6, "related": 30, "comments": 120}
READERS = 4
PAGES = 80  # for each reader
KEPT = 4  # connections to each back end
WORDS = "council harbour winter ferry budget school tower market river strike museum bridge".split()


class BackEnd:
    """Stands for a service elsewhere: it takes 6 to 14 ms."""

    def __init__(self, name):
        self.name = name
        self.random = random.Random(name)

    def entries(self, article):
        for number in range(PARTS[self.name]):
            words = [WORDS[(article * 7 + number * 5 + at * at) % len(WORDS)] for at in range(24)]
            yield {"by": f"{words[3]}{number}", "likes": article * number % 37, "text": " ".join(words)}

    async def answer(self, reader, writer):
        while line := await reader.readline():
            await asyncio.sleep(self.random.uniform(0.006, 0.014))
            content = {"part": self.name, "entries": list(self.entries(int(line)))}
            writer.write(json.dumps(content).encode() + b"\n")
            await writer.drain()
        writer.close()


class PageServer:
    def __init__(self):
        self.kept = {}
        self.in_turn = 0.0

    async def connect(self, name, port):
        self.kept[name] = asyncio.Queue()
        for _ in range(KEPT):
            self.kept[name].put_nowait(await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, name, article):
        connection = reader, writer = await self.kept[name].get()
        writer.write(b"%d\n" % article)
        await writer.drain()
        answer = json.loads(await reader.readline())
        self.kept[name].put_nowait(connection)
        return answer["entries"]

    async def handle(self, reader, writer):
        while line := await reader.readline():
            article = int(line)
            parts, took = {}, []
            for name in PARTS:
                began = time.perf_counter()
                parts[name] = await self.ask(name, article)  # FAULT awaits-for-each
                took.append(time.perf_counter() - began)
            self.in_turn += sum(took) - max(took)
            writer.write(self.render(article, parts).encode() + b"\n")
            await writer.drain()
        writer.close()

    def render(self, article, parts):
        sections = []
        for name, entries in parts.items():
            rows = []
            for entry in sorted(entries, key=lambda entry: -entry["likes"]):
                words = (word.title() if len(word) > 6 else word for word in entry["text"].split())
                rows.append(f"<li><b>{html.escape(entry['by'])}</b> {html.escape(' '.join(words))}</li>")
            sections.append(f"<ul id='{name}'>{''.join(rows)}</ul>")
        return f"<html><h1>Article {article}</h1>{''.join(sections)}</html>"

    def close(self):
        for queue in self.kept.values():
            while not queue.empty():
                queue.get_nowait()[1].close()


async def read_pages(port, articles):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sizes = []
    for article in articles:
        writer.write(b"%d\n" % article)
        await writer.drain()
        sizes.append(len(await reader.readline()))
    writer.close()
    return sizes


async def main():
    pages = PageServer()
    servers = [await asyncio.start_server(BackEnd(name).answer, "127.0.0.1", 0) for name in PARTS]
    for name, server in zip(PARTS, servers):
        await pages.connect(name, server.sockets[0].getsockname()[1])
    servers.append(await asyncio.start_server(pages.handle, "127.0.0.1", 0))
    port = servers[-1].sockets[0].getsockname()[1]
    sizes = await asyncio.gather(*(read_pages(port, range(n, PAGES * READERS, READERS)) for n in range(READERS)))
    pages.close()
    await asyncio.sleep(0.05)  # for the back ends to see it
    print("pages", sum(map(len, sizes)), "bytes", sum(map(sum, sizes)))
    # The readers wait at the same time.
    print("truth %.3f" % (pages.in_turn / READERS))


asyncio.run(main())
