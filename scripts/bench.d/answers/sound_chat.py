"""SOUND: healthy asyncio server with clients: chat-like request/answer with real awaiting."""
import asyncio
import json


async def handle(reader, writer):
    while line := await reader.readline():
        request = json.loads(line)
        await asyncio.sleep(0.02)                       # the database
        writer.write(json.dumps({"id": request["id"], "text": request["text"].upper()}).encode() + b"\n")
        await writer.drain()
    writer.close()


async def client(n, port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    got = 0
    for i in range(100):
        writer.write(json.dumps({"id": i, "text": "hello %d from %d" % (i, n)}).encode() + b"\n")
        got += len(json.loads(await reader.readline())["text"])
    writer.close()
    return got


async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(sum(await asyncio.gather(*(client(n, port) for n in range(40)))))
    server.close()


asyncio.run(main())
