"""Waits for a worker thread by looking again and again."""
import threading
import time

done = []


def work():
    total = 0
    for i in range(30000000):
        total += i
    done.append(total)


began = time.perf_counter()
thread = threading.Thread(target=work)
thread.start()
while not done:
    time.sleep(0.05)  # FAULT sleeping
print("truth", time.perf_counter() - began)
