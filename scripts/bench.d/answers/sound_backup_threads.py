"""Sound: packs blocks in two threads that take them from a bounded queue; zlib works without the interpreter's lock.

Both cores are busy with compression; there is nothing here that is worth mending.
"""
import hashlib
import queue
import threading
import zlib

BLOCKS = 400
THREADS = 2


def blocks():
    words = [b"alpha ", b"beta ", b"gamma ", b"delta ", b"epsilon ", b"zeta ", b"eta ", b"theta "]
    for number in range(BLOCKS):
        seed = b"".join([hashlib.sha512(b"%d %d" % (number, part)).digest() for part in range(1000)])
        yield number, b"".join([words[byte & 7] for byte in seed])


class Packer:
    def __init__(self):
        self.todo = queue.Queue(maxsize=8)
        self.packed = {}
        self.threads = [threading.Thread(target=self.work, name=f"packer-{i}") for i in range(THREADS)]

    def work(self):
        while (item := self.todo.get()) is not None:
            number, block = item
            data = zlib.compress(block, 6)
            self.packed[number] = len(data), zlib.crc32(data)

    def run(self, source):
        for thread in self.threads:
            thread.start()
        for item in source:
            self.todo.put(item)
        for _ in self.threads:
            self.todo.put(None)
        for thread in self.threads:
            thread.join()


packer = Packer()
packer.run(blocks())
print("blocks", len(packer.packed), "bytes", sum(size for size, _ in packer.packed.values()))
