"""Sound.  Pack log segments with two threads and write one container file.

A reader thread makes segments, two packers compress them, the main thread
writes them in order.  The queues are bounded, so the fast reader waits for the
packers; zlib gives the GIL free and both cores are busy.

A hasty profiler might say: the reader waits seconds in queue.put (back
pressure by intent, it bounds the memory), the main thread waits in queue.get
(it has little to do), threads for CPU work are no use under the GIL (zlib
releases it), the writer's dict grows (it holds a few segments out of order).
"""
import os
import queue
import random
import struct
import tempfile
import threading
import zlib

SEGMENTS = 350
LINES = 9_000
PACKERS = 2
DEPTH = 4
LEVEL = 7


def line_pool(seed=61):
    rng = random.Random(seed)
    hosts = [f"10.0.{rng.randrange(20)}.{rng.randrange(250)}" for _ in range(400)]
    pages = ["/", "/cart", "/search?q=", "/static/app.js", "/api/v2/items/", "/login"]
    pool = []
    for _ in range(60_000):
        pool.append(f'{rng.choice(hosts)} - - "GET {rng.choice(pages)}{rng.randrange(10 ** 6)}" '
                    f"{rng.choice((200, 200, 200, 304, 404, 500))} {rng.randrange(10 ** 5)}")
    return pool


def read_segments(pool, out):
    """The reader: segments of lines as bytes."""
    rng = random.Random(62)
    for number in range(SEGMENTS):
        start = rng.randrange(len(pool) - LINES)
        text = "\n".join(pool[start:start + LINES]).encode()
        out.put((number, text))
    for _ in range(PACKERS):
        out.put(None)


def pack_segments(source, out):
    while (item := source.get()) is not None:
        number, text = item
        packed = zlib.compress(text, LEVEL)
        out.put((number, zlib.crc32(text), len(text), packed))
    out.put(None)


class Container:
    """Segments in order; those that come early wait here."""

    HEAD = struct.Struct("<IIII")

    def __init__(self, file):
        self.file = file
        self.early = {}
        self.following = 0
        self.most_early = 0
        self.raw = 0

    def add(self, number, crc, size, packed):
        self.early[number] = (crc, size, packed)
        self.most_early = max(self.most_early, len(self.early))
        while self.following in self.early:
            crc, size, packed = self.early.pop(self.following)
            self.file.write(self.HEAD.pack(self.following, crc, size, len(packed)))
            self.file.write(packed)
            self.raw += size
            self.following += 1


def verify(path):
    """Unpack some segments and compare their checksums."""
    good = 0
    with open(path, "rb") as file:
        while head := file.read(Container.HEAD.size):
            number, crc, size, length = Container.HEAD.unpack(head)
            packed = file.read(length)
            if number % 5 == 0:
                text = zlib.decompress(packed)
                good += zlib.crc32(text) == crc and len(text) == size
    return good


def main():
    pool = line_pool()
    raw, packed = queue.Queue(DEPTH), queue.Queue(DEPTH)
    threads = [threading.Thread(target=read_segments, args=(pool, raw), name="reader")]
    threads += [threading.Thread(target=pack_segments, args=(raw, packed), name=f"packer-{k}")
                for k in range(PACKERS)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "logs.pack")
        with open(path, "wb") as file:
            container = Container(file)
            for thread in threads:
                thread.start()
            ended = 0
            while ended < PACKERS:
                item = packed.get()
                if item is None:
                    ended += 1
                else:
                    container.add(*item)
            for thread in threads:
                thread.join()
        size = os.path.getsize(path)
        good = verify(path)
    print(f"{container.following} segments, {container.raw} bytes to {size}")
    print(f"{good} verified, at most {container.most_early} early")


if __name__ == "__main__":
    main()
