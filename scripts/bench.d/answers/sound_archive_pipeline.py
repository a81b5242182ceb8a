"""Compress and fingerprint log segments with a bounded producer/consumer pipeline."""
import hashlib
import os
import queue
import random
import threading
import zlib

SEGMENT = 1 << 20


def segments(count, seed=5):
    rng = random.Random(seed)
    words = [f"{rng.getrandbits(48):x}".encode() for _ in range(3000)]
    pool = b" ".join(rng.choices(words, k=200_000))
    for _ in range(count):
        at = rng.randrange(len(pool) - SEGMENT)
        yield pool[at:at + SEGMENT]


class Archiver:
    def __init__(self, path, workers):
        self.jobs = queue.Queue(maxsize=workers * 2)
        self.done = queue.Queue(maxsize=workers * 2)
        self.workers = [threading.Thread(target=self.work) for _ in range(workers)]
        self.writer = threading.Thread(target=self.write, args=(path,))
        self.bytes_out = 0
        self.entries = 0

    def work(self):
        while (job := self.jobs.get()) is not None:
            number, data = job
            digest = hashlib.sha256(data).digest()
            self.done.put((number, digest, zlib.compress(data, 6)))
        self.done.put(None)

    def write(self, path):
        finished = 0
        with open(path, "wb") as out:
            while finished < len(self.workers):
                item = self.done.get()
                if item is None:
                    finished += 1
                    continue
                number, digest, packed = item
                out.write(number.to_bytes(4, "big") + digest + len(packed).to_bytes(4, "big"))
                out.write(packed)
                self.bytes_out += len(packed)
                self.entries += 1

    def run(self, source):
        for t in (*self.workers, self.writer):
            t.start()
        for job in enumerate(source):
            self.jobs.put(job)
        for _ in self.workers:
            self.jobs.put(None)
        for t in (*self.workers, self.writer):
            t.join()


def main():
    archiver = Archiver("segments.bin", os.cpu_count())
    archiver.run(segments(160))
    print(f"segments {archiver.entries} compressed {archiver.bytes_out}")


if __name__ == "__main__":
    main()
