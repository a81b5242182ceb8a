"""Places to allocate at: coroutines, threads, signal handlers, trace functions."""
import asyncio
import concurrent.futures
import ctypes
import os
import signal
import sys
import threading

from marks import mark
from places_flow import recursion


async def awaited(depth):
    if depth:
        return await awaited(depth - 1)
    mark()
    await asyncio.sleep(0)
    return mark()


class Waits:
    def __await__(self):
        mark()
        yield from asyncio.sleep(0).__await__()
        mark()

    async def __aenter__(self):
        mark()

    async def __aexit__(self, *_):
        await asyncio.sleep(0)
        mark()


async def several():
    for _ in range(2):
        await asyncio.sleep(0)
        yield mark()


async def coroutines():
    await awaited(2)
    await Waits()
    async with Waits():
        async for _ in several():
            mark()
    [mark() async for _ in several()]
    await asyncio.gather(awaited(0), awaited(1), *(
        awaited(1) for _ in range(1)))
    asyncio.get_running_loop().call_soon(mark)
    await asyncio.get_running_loop().run_in_executor(None, mark)
    await asyncio.wait_for(awaited(0), 60)


def threads():
    thread = threading.Thread(target=recursion, args=(3,))
    thread.start()
    thread.join()

    class Own(threading.Thread):
        def run(self):
            mark()
    thread = Own()
    thread.start()
    thread.join()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(mark, [1, 2]))
        pool.submit(lambda: mark()).add_done_callback(mark)
    # A thread that Python did not make.
    start = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: mark() and None)
    handle = ctypes.c_ulong()
    ctypes.CDLL(None).pthread_create(ctypes.byref(handle), None, start, None)
    ctypes.CDLL(None).pthread_join(handle, None)


def signals():
    signal.signal(signal.SIGUSR1, lambda number, frame:
                  mark())
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(1000):
        pass
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def traced():
    def trace(frame, event, argument):
        if frame.f_code.co_name == "small" and event != "opcode":
            sys.settrace(None)
            mark()
            sys.settrace(trace)
        return trace

    def small():
        return 1 + \
            2
    sys.settrace(trace)
    small()
    sys.settrace(None)

    def profile(frame, event, argument):
        if frame.f_code.co_name == "small":
            mark()
    sys.setprofile(profile)
    small()
    sys.setprofile(None)
