"""Threads that compute in pure Python."""
import threading
import time


def burn(n):
    total = 0
    for i in range(n):
        total += i * i  # FAULT lock-contention python-loop
    return total


began = time.perf_counter()
threads = [threading.Thread(target=burn, args=(6000000,)) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
# Two of three could run at once on two processors.
print("truth", (time.perf_counter() - began) / 2)
