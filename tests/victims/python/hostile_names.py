"""What looks like an event loop's callback, and a task whose name another thread replaces: hostile_names.py CASE SECONDS

CASE: lookalike (a function _run in a file asyncio/events.py that is none of asyncio's), renamed (names that are long
enough to have mappings of their own, which are gone with them).
"""
import asyncio
import hashlib
import sys
import threading
import time

case, seconds = sys.argv[1], float(sys.argv[2])


def lookalike():
    made = {}
    source = "def _run(number, until):\n    while until():\n        sleep(0.001)\n        sum(range(2000))\n"
    exec(compile(source, "/app/asyncio/events.py", "exec"), {"sleep": time.sleep}, made)
    end = time.monotonic() + seconds
    made["_run"]((1583 << 30) | 0x12345678, lambda: time.monotonic() < end)


async def renamed():
    task, done = asyncio.current_task(), threading.Event()

    def rename():
        number = 0
        while not done.is_set():
            number += 1
            task.set_name("q" * (300000 + number % 3))

    thread = threading.Thread(target=rename)
    thread.start()
    data, end = bytes(3000000), time.monotonic() + seconds
    while time.monotonic() < end:
        hashlib.sha256(data).digest()  # without the GIL
    done.set()
    thread.join()


lookalike() if case == "lookalike" else asyncio.run(renamed())
print("done")
