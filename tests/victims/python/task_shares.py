"""Tasks of asyncio that burn known shares of the CPU time, each under the name by which it should be told.

usage: task_shares.py WAY SECONDS
WAY: shares (three tasks of one coroutine, by name), unnamed, nested, threads, eager, waits, memory, many, renamed, hostile,
     uvloop, python (tasks that are written in Python)
Prints the facts "us_NAME N" (CPU time that was burnt for the task of that name, in microseconds), and what else a way
names.
"""
import asyncio
import itertools
import sys
import threading
import time

from burning import burn, burnt

# Of no even length: else tasks that take turns may each fall on every other tick of the system's clock.
numbers = itertools.count()


def burst_of(number):
    return 0.001 + 0.006 * (number * 0.618034 % 1)


async def work(name, seconds):
    left = seconds
    while left > 0:
        burst = min(burst_of(next(numbers)), left)
        left -= burst
        burn(name, burst)
        await asyncio.sleep(0)


def task(coroutine, name):
    return asyncio.get_event_loop().create_task(coroutine, name=name)


async def shares(seconds):
    await asyncio.gather(*(task(work(name, share * seconds), name)
                           for name, share in (("heavy", 0.6), ("middle", 0.3), ("light", 0.1))))


# Bound to nothing: its qualified name is what tells it.
class Server:
    async def answer(self, seconds):
        await work("Server.answer", seconds)


async def unnamed(seconds):
    server = Server()
    first = [server.answer(seconds / 40) for _ in range(20)]
    await asyncio.gather(*first, *(work("work", seconds / 40) for _ in range(20)))


async def outer(seconds):
    inner = task(work("inner", seconds / 2), "inner")
    burn("outer", seconds / 4)
    await inner
    burn("outer", seconds / 4)


async def nested(seconds):
    if not hasattr(asyncio, "TaskGroup"):
        return await task(outer(seconds), "outer")
    async with asyncio.TaskGroup() as group:
        group.create_task(outer(seconds / 2), name="outer")
        group.create_task(work("beside", seconds / 2), name="beside")


async def named_main(name, seconds):
    await task(work(name, seconds), name)


def threads(seconds):
    def run(name, share):
        asyncio.run(named_main(name, share * seconds))
    others = [threading.Thread(target=run, args=pair) for pair in (("left", 0.7), ("right", 0.3))]
    for other in others:
        other.start()
    for other in others:
        other.join()


# Its first step runs within the step of the task that makes it.
async def first_step(seconds):
    burn("first_step", seconds)
    await asyncio.sleep(0)


async def eager_main(seconds):
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    for _ in range(10):
        burn("maker", seconds / 20)
        await asyncio.create_task(first_step(seconds / 20))


async def eager(seconds):
    await task(eager_main(seconds), "maker")


async def blocks(seconds):
    time.sleep(seconds)
    await asyncio.sleep(0)


async def waits(seconds):
    await asyncio.gather(task(blocks(0.75 * seconds), "sleeper"), task(blocks(0.25 * seconds), "napper"))


async def keep(count, kept):
    for _ in range(count):
        kept.append(bytearray(3000))
        if len(kept) % 100 == 0:
            await asyncio.sleep(0)


async def memory(_):
    kept = []
    await asyncio.gather(task(keep(3000, kept), "hoarder"), task(keep(1000, kept), "saver"))


async def request(number):
    bytearray(3000)


async def many(seconds):
    for number in range(3000):
        await task(request(number), "request-%d" % number)
    for number in range(3000):
        await task(request(number), "request-" + "".join(chr(97 + int(d)) for d in str(number)))


async def renamed(seconds):
    me = asyncio.current_task()
    for name in ("before", "after"):
        me.set_name(name)
        burn(name, seconds / 2)


class Name(str):
    def __str__(self):
        return self


class Strange(asyncio.Task):
    """Has a dict, and attributes by the names of those that a task has."""

    def __init__(self, *args, **kwargs):
        self.__name__ = "no name of a task"
        super().__init__(*args, **kwargs)


class StrangeHandle(asyncio.Handle):
    def _run(self):
        return super()._run()


async def hostile(seconds):
    loop = asyncio.get_event_loop()
    loop.set_task_factory(lambda loop, coro, **more: Strange(coro, loop=loop, **more))
    share = seconds / 8
    made = [task(work("long", share), "x" * (1 << 20)), task(work("euro", share), "t\u00e4sk \u20ac \U0001f600"),
            task(work("empty", share), ""), task(work("str", share), Name("of a class of its own")),
            task(work("surrogate", share), "a\ud800b"), task(work("control", share), "a\nb\x00c\x1b[31m")]
    cancelled = [task(work("cancelled", 10), "cancelled") for _ in range(20)]
    loop.call_soon(burn, "callback", share)
    handle = StrangeHandle(burn, ("handle", share), loop, None)
    loop._ready.append(handle)
    await asyncio.sleep(share)
    for one in cancelled:
        one.cancel()
    await asyncio.gather(*made)
    await asyncio.gather(*cancelled, return_exceptions=True)


async def in_python(seconds):
    loop = asyncio.get_event_loop()
    await asyncio.tasks._PyTask(work("plain", seconds), loop=loop)


def main(way, seconds):
    if way == "threads":
        threads(seconds)
    elif way == "uvloop":
        import uvloop
        uvloop.run(shares(seconds))
    else:
        ways = {"shares": shares, "unnamed": unnamed, "nested": nested, "eager": eager, "waits": waits,
                "memory": memory, "many": many, "renamed": renamed, "hostile": hostile, "python": in_python}
        asyncio.run(ways[way](seconds))
    for name, spent in sorted(burnt.items()):
        print("us_" + name, int(spent * 1e6))
    # A loop that is closed, and one that never ran.
    asyncio.new_event_loop().close()


main(sys.argv[1], float(sys.argv[2]))
