"""Appends rows to a file and makes each durable by itself."""
import os
import tempfile
import time

spent = 0.0
with tempfile.NamedTemporaryFile(dir=".") as out:
    end = time.perf_counter() + 2
    row = 0
    while time.perf_counter() < end:
        out.write(b"row %d\n" % row)
        out.flush()
        row += 1
        began = time.perf_counter()
        os.fsync(out.fileno())  # FAULT synced-writes
        spent += time.perf_counter() - began
print("truth", spent)
