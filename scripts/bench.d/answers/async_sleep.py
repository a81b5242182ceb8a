"""A coroutine that blocks the loop for all others."""
import asyncio
import time

spent = 0.0


async def handle(i):
    global spent
    await asyncio.sleep(0.001)
    began = time.perf_counter()
    time.sleep(0.02)  # FAULT event-loop-blocked
    spent += time.perf_counter() - began


async def main():
    await asyncio.gather(*(handle(i) for i in range(80)))


asyncio.run(main())
print("truth", spent)
