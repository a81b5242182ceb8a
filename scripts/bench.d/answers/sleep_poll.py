"""Waits for each job of a worker thread by looking again every tenth of a second."""
import threading
import time

late = 0.0


def work(results):
    results.append(sum(i * i % 7 for i in range(400000)))
    results.append(time.perf_counter())


for job in range(25):
    results = []
    threading.Thread(target=work, args=(results,)).start()
    while len(results) < 2:
        time.sleep(0.1)  # FAULT sleeping
    late += time.perf_counter() - results[1]
print("truth", late)
