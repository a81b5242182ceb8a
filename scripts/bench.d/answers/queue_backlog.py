"""Packs a big recording: one thread reads blocks, the other compresses them and writes the archive.

What is wrong: the queue between the two has no bound; reading is much faster than compressing, so nearly the whole
recording piles up in memory.
First screen should say: memory grows to about the size of the input: blocks read in Reader.run wait in an unbounded
queue.Queue because the compressing thread is slower.
Mend: queue.Queue(maxsize=8).
"""
import array
import os
import queue
import random
import threading
import zlib

BLOCK = 256 * 1024
BLOCKS = 480
PATH = "recording.raw"


def record():
    draw = random.Random(3)
    samples = array.array("h")
    level = 0
    for _ in range(BLOCK):
        level = level * 9 // 10 + draw.randrange(-900, 900)
        samples.append(level)
    sound = samples.tobytes()
    with open(PATH, "wb") as out:
        for number in range(BLOCKS):
            at = number * 7002 % BLOCK
            out.write(sound[at : at + BLOCK])


class Reader(threading.Thread):
    def __init__(self, path, blocks):
        super().__init__(name="reader")
        self.path = path
        self.blocks = blocks

    def run(self):
        with open(self.path, "rb", buffering=0) as file:
            while block := file.read(BLOCK):
                self.blocks.put(block)
        self.blocks.put(None)


class Packer(threading.Thread):
    def __init__(self, blocks, out):
        super().__init__(name="packer")
        self.blocks = blocks
        self.out = out
        self.most = 0
        self.read = self.written = 0
        self.sum = 0

    def run(self):
        while True:
            self.most = max(self.most, self.blocks.qsize())
            block = self.blocks.get()
            if block is None:
                return
            packed = zlib.compress(block, 6)
            self.sum = zlib.crc32(packed, self.sum)
            self.out.write(len(packed).to_bytes(4, "big") + packed)
            self.read += len(block)
            self.written += len(packed)


def main():
    record()
    blocks = queue.Queue()  # FAULT unbounded-queue
    with open("recording.packed", "wb") as out:
        threads = [Reader(PATH, blocks), Packer(blocks, out)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    packer = threads[1]
    os.remove(PATH)
    print("read", packer.read, "written", packer.written, "sum %08x" % packer.sum)
    print("truth %d bytes" % ((packer.most - 8) * BLOCK))


main()
