"""Intake service: takes in documents from several feeds, packs them and keeps a
digest of each; an asyncio service with a small pool of threads.

Sound.  The documents have to be packed and hashed, which zlib and hashlib do
without the interpreter's lock, in two threads for two processors; the queue is short
on purpose (back pressure).  The event loop stays free.
A hasty profiler might say wrongly: that the main thread blocks in select/epoll
(it waits for the work of the threads, as it should); that the feeds are held up at
queue.put or the workers at run_in_executor (the processors are the limit); that
the lock in Shelf is contended (it is held for microseconds); that
compress is called again and again for the same data (each document is different).
"""
import asyncio
import hashlib
import random
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

FEEDS = 4
PER_FEED = 190
WORDS = [f"{a}{b}{c}" for a in ("tra", "mon", "el", "qui") for b in ("ver", "do", "lan", "s")
         for c in ("t", "ment", "o", "is", "ula")]


class Shelf:
    """What has been taken in; used from the worker threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._entries = {}
        self.bytes_in = 0
        self.bytes_kept = 0

    def put(self, name, digest, size, packed):
        with self._lock:
            self._entries[name] = (digest, packed)
            self.bytes_in += size
            self.bytes_kept += len(packed)

    def check(self):
        whole = hashlib.sha256()
        for name in sorted(self._entries):
            whole.update(self._entries[name][0])
        return whole.hexdigest()[:12]

    def __len__(self):
        return len(self._entries)


class Feed:
    def __init__(self, number):
        self.number = number
        self._random = random.Random(600 + number)

    def document(self, serial):
        rng = self._random
        paragraph = " ".join(rng.choices(WORDS, k=900)).encode()
        noise = rng.randbytes(60_000)
        parts = []
        for start in range(0, 60_000, 1500):
            parts.append(paragraph[start % 3000:])
            parts.append(noise[start:start + 1500])
        return f"feed{self.number}/{serial:04d}", b"".join(parts)

    async def run(self, queue):
        for serial in range(PER_FEED):
            await queue.put(self.document(serial))
            await asyncio.sleep(0.001)


def take_in(shelf, name, body):
    packed = zlib.compress(body, 7)
    digest = hashlib.pbkdf2_hmac("sha256", packed[:4096], name.encode(), 14000)
    shelf.put(name, digest, len(body), packed)


async def worker(queue, pool, shelf, delays):
    loop = asyncio.get_running_loop()
    while True:
        name, body = await queue.get()
        began = time.perf_counter()
        await loop.run_in_executor(pool, take_in, shelf, name, body)
        delays.append(time.perf_counter() - began)
        queue.task_done()


async def heartbeat(late):
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.05)
        late.append(time.perf_counter() - began - 0.05)


async def serve():
    shelf, delays, late = Shelf(), [], []
    queue = asyncio.Queue(maxsize=6)
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="intake") as pool:
        workers = [asyncio.create_task(worker(queue, pool, shelf, delays)) for _ in range(2)]
        beat = asyncio.create_task(heartbeat(late))
        await asyncio.gather(*(Feed(number).run(queue) for number in range(FEEDS)))
        await queue.join()
        for task in (*workers, beat):
            task.cancel()
        await asyncio.gather(*workers, beat, return_exceptions=True)
    return shelf, delays, late


def main():
    shelf, delays, late = asyncio.run(serve())
    print(f"{len(shelf)} documents, {shelf.bytes_in / 1e6:.1f} MB to {shelf.bytes_kept / 1e6:.1f} MB, "
          f"check {shelf.check()}")
    print(f"mean {1000 * sum(delays) / len(delays):.1f} ms each, loop at most {1000 * max(late):.1f} ms late")
    print("truth 0.000")


if __name__ == "__main__":
    main()
