"""Report service: branches ask for a sales report, the spooler seals it.

What is wrong: the handler of each branch's connection calls subprocess.run(), which waits 0.1 s for the spool command:
no other branch is served meanwhile.
First screen should say: subprocess.run() in Spooler.submit blocks the event loop, 3.3 s in all.
Mend: asyncio.create_subprocess_exec() and communicate().
"""
import asyncio
import json
import random
import subprocess
import time

BRANCHES = 8
REPORTS = 4
LIMIT = 4 * 1024 * 1024


class Spooler:
    """Hands a document to the spool command, which answers with a ticket."""

    command = ["/bin/sh", "-c", "sleep 0.1; exec cksum"]

    def submit(self, document):
        done = subprocess.run(self.command, input=document,  # FAULT event-loop-blocked
                              stdout=subprocess.PIPE, check=True)
        checksum, size = done.stdout.split()
        return "%08x-%d" % (int(checksum), int(size))


class ReportBuilder:
    def build(self, sales):
        by_article = {}
        for article, count, cents in sales:
            entry = by_article.setdefault(article, [0, 0, 0])
            entry[0] += count
            entry[1] += count * cents
            entry[2] = max(entry[2], cents)
        ranked = sorted(by_article.items(), key=lambda kv: (-kv[1][1], kv[0]))
        lines = ["%-10s %8d %12.2f %8.2f" % (a, n, total / 100, top / 100)
                 for a, (n, total, top) in ranked]
        return "\n".join(lines).encode()


class ReportServer:
    def __init__(self):
        self.builder = ReportBuilder()
        self.spent = 0.0
        self.spooler = Spooler()
        self.served = 0

    async def handle(self, reader, writer):
        while line := await reader.readline():
            request = json.loads(line)
            answer = await self.report(request)
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()

    async def report(self, request):
        document = self.builder.build(request["sales"])
        began = time.perf_counter()
        ticket = self.spooler.submit(document)  # FAULT event-loop-blocked
        self.spent += time.perf_counter() - began
        self.served += 1
        return {"branch": request["branch"], "lines": document.count(b"\n") + 1,
                "ticket": ticket}


class Branch:
    def __init__(self, number, port):
        self.number = number
        self.port = port
        self.rng = random.Random(number)

    def sales(self):
        rng = self.rng
        return [("art%05d" % rng.randrange(4000), rng.randint(1, 12),
                 rng.randint(99, 19999)) for _ in range(16_000)]

    async def run(self):
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, limit=LIMIT)
        tickets = []
        for _ in range(REPORTS):
            request = {"branch": self.number, "sales": self.sales()}
            writer.write(json.dumps(request).encode() + b"\n")
            await writer.drain()
            answer = json.loads(await reader.readline())
            tickets.append(answer["ticket"])
        writer.close()
        await writer.wait_closed()
        return self.number, tickets


async def main():
    service = ReportServer()
    server = await asyncio.start_server(service.handle, "127.0.0.1", 0, limit=LIMIT)
    port = server.sockets[0].getsockname()[1]
    branches = [Branch(n, port) for n in range(BRANCHES)]
    results = await asyncio.gather(*(b.run() for b in branches))
    server.close()
    await server.wait_closed()
    for number, tickets in sorted(results):
        print("branch", number, *tickets)
    print(service.served, "reports")
    # The branches' reports wait at the same time when it is mended.
    print("truth %.3f" % (service.spent * (BRANCHES - 1) / BRANCHES))


if __name__ == "__main__":
    asyncio.run(main())
