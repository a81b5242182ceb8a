"""Appends rows to a file and makes each durable by itself."""
import os
import tempfile
import time

spent = 0.0
with tempfile.NamedTemporaryFile(dir=".") as out:
    for row in range(900):
        out.write(b"row %d\n" % row)
        out.flush()
        began = time.perf_counter()
        os.fsync(out.fileno())  # FAULT synced-writes
        spent += time.perf_counter() - began
print("truth", spent)
