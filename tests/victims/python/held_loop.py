"""A loop of asyncio that is held up 12 times by computing and 8 times by sleeping, while something can be read."""
import asyncio
import inspect
import os
import time


def computes(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def line_of(function, text):
    source, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(source) if text in line)


async def other_task():
    for _ in range(5):
        await asyncio.sleep(0.01)


async def main():
    loop = asyncio.get_running_loop()
    out, into = os.pipe()
    loop.add_reader(out, lambda: os.read(out, 1))
    task = asyncio.ensure_future(other_task())
    for _ in range(12):
        os.write(into, b"x")
        computes(0.06)
        await asyncio.sleep(0.002)
    for _ in range(8):
        os.write(into, b"x")
        time.sleep(0.03)
        await asyncio.sleep(0.002)
    await task
    loop.remove_reader(out)


asyncio.run(main())
print("computes_line", line_of(computes, "while "))
print("sleeps_line", line_of(main, "time.sleep"))
