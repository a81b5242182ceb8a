"""Keeps a large table of readings and has a child process make the digest of each section, so that a crash in it is
no matter.

What is wrong: the children are forked from the process that holds the table: for each the kernel copies the page tables
of all its memory, and takes them apart again when the child ends.
First screen should say: os.fork() takes most of the time, some 8 ms each, since the process is so large.
Mend: start one helper before the table is there (or multiprocessing's forkserver) and hand the sections to it.
"""
import hashlib
import os
import time

SECTIONS = 90
BYTES = 5 << 20
SMALL_FORK = 0.0003


def readings(section):
    block = bytearray(BYTES)
    for at in range(0, BYTES, 4096):
        block[at] = (section * 37 + at // 4096 * 11) % 251
    return block


class Table:
    def __init__(self):
        self.sections = [readings(number) for number in range(SECTIONS)]

    def summary(self, number):
        block = self.sections[number]
        return bytes(block[at] for at in range(0, BYTES, 4096))


def digest_in_child(summary):
    """The digest as a child process made it, and what the child's copy took."""
    receive, send = os.pipe()
    began = time.thread_time()
    child = os.fork()  # FAULT large-forks
    if child == 0:
        os.write(send, hashlib.sha256(summary * 4).digest())
        os._exit(0)
    took = time.thread_time() - began
    os.close(send)
    digest = os.read(receive, 32)
    os.close(receive)
    began = time.perf_counter()
    os.waitpid(child, 0)
    return digest, took + time.perf_counter() - began


def main():
    table = Table()
    spent = 0.0
    all_digests = hashlib.sha256()
    for number in range(SECTIONS):
        digest, took = digest_in_child(table.summary(number))
        all_digests.update(digest)
        spent += took - SMALL_FORK
    print("digests", all_digests.hexdigest()[:16])
    print("truth %.3f" % spent)


if __name__ == "__main__":
    main()
