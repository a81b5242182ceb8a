"""Asks a service for 120 items, and awaits each answer before it asks for the next."""
import asyncio
import os
import time

HOST, PORT = os.environ["SERVICE"].split(":")


async def fetch(item):
    reader, writer = await asyncio.open_connection(HOST, PORT)
    writer.write(f"GET /item/{item}?delay=10 HTTP/1.0\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return len(answer)


async def main():
    began = time.perf_counter()
    sizes = []
    for item in range(120):
        sizes.append(await fetch(item))  # FAULT awaits-in-turn
    one_by_one = time.perf_counter() - began
    began = time.perf_counter()
    await asyncio.gather(*(fetch(item) for item in range(24)))
    at_once = (time.perf_counter() - began) * 5
    print(sum(sizes), "bytes")
    print("truth", one_by_one - at_once)


asyncio.run(main())
