"""Reads a file four bytes at a time."""
import os
import tempfile
import time

with tempfile.NamedTemporaryFile(dir=".") as made:
    made.write(os.urandom(6 << 20))
    made.flush()
    fd = os.open(made.name, os.O_RDONLY)
    total, spent, record = 0, 0.0, b"x"
    while record:
        began = time.perf_counter()
        record = os.read(fd, 4)  # FAULT small-reads
        spent += time.perf_counter() - began
        total += len(record)
    # Less what the clock takes.
    began = time.perf_counter()
    for _ in range(100000):
        time.perf_counter()
    print("truth", spent - total / 4 * (time.perf_counter() - began) / 100000)
