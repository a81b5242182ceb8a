"""A page that six small services make together, each of which takes 20 ms; they run in the same event loop."""
import asyncio
import time


async def service(reader, writer):
    while line := await reader.readline():
        await asyncio.sleep(0.02)
        writer.write(b"<p>" + line.strip().upper() + b"</p>\n")
        await writer.drain()
    writer.close()


class Part:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def get(self, name):
        self.writer.write(name.encode() + b"\n")
        await self.writer.drain()
        return await self.reader.readline()  # FAULT awaits-in-turn


async def page(parts, number):
    texts = []
    for at, part in enumerate(parts):
        texts.append(await part.get(f"part {at} of {number}"))
    return b"".join(texts)


async def main():
    servers = [await asyncio.start_server(service, "127.0.0.1", 0) for _ in range(6)]
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    parts = [Part(*await asyncio.open_connection("127.0.0.1", port)) for port in ports]
    size, spent = 0, 0.0
    for number in range(16):
        began = time.perf_counter()
        size += len(await page(parts, number))
        spent += time.perf_counter() - began
    for part in parts:
        part.writer.close()
    await asyncio.sleep(0.05)  # for the services to see it
    print(size, len("".join(f"{i}:{size * i % 1009}" for i in range(600_000))))
    print("truth %.3f" % spent)


asyncio.run(main())
