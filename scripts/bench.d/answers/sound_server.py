"""SOUND: a server that answers, and its clients."""
import asyncio


async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def ask(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(1500):
        writer.write(b"hello\n")
        await reader.readline()
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.gather(*(ask(port) for _ in range(6)))
    server.close()


asyncio.run(main())
