"""Threads that hold one lock while they wait for something else."""
import threading
import time

lock = threading.Lock()
waited = [0.0] * 8


def worker(i):
    for _ in range(25):
        began = time.perf_counter()
        with lock:  # FAULT lock-contention
            waited[i] += time.perf_counter() - began
            time.sleep(0.01)


threads = [threading.Thread(target=worker, args=(i,)) for i in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print("truth", max(waited))
