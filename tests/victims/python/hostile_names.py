"""What looks like an event loop's callback, and a task whose name another thread replaces: hostile_names.py CASE SECONDS

CASE: lookalike (a function _run in a file asyncio/events.py that is none of asyncio's), renamed (names that are long
enough to have mappings of their own, which are gone with them).
"""
import asyncio
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
        names = [c * 300000 for c in "ab"]
        while not done.is_set():
            for name in names:
                task.set_name(name + "c")
                time.sleep(0)

    thread = threading.Thread(target=rename)
    thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(20000))
        time.sleep(0)
        await asyncio.sleep(0)
    done.set()
    thread.join()


lookalike() if case == "lookalike" else asyncio.run(renamed())
print("done")
