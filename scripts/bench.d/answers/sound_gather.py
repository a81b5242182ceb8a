"""SOUND: requests that wait at the same time."""
import asyncio
import os

HOST, PORT = os.environ["SERVICE"].split(":")


async def fetch(item, limit):
    async with limit:
        reader, writer = await asyncio.open_connection(HOST, PORT)
        writer.write(f"GET /item/{item}?delay=40 HTTP/1.0\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        return len(answer)


async def main():
    limit = asyncio.Semaphore(40)
    print(sum(await asyncio.gather(*(fetch(item, limit) for item in range(400)))))


asyncio.run(main())
