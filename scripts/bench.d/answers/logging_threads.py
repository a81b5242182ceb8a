"""Threads that log to a slow terminal: the handler's lock is held while the terminal takes each line."""
import logging
import threading
import time

waited = [0.0] * 6


class Terminal:
    def write(self, text):
        time.sleep(0.004)

    def flush(self):
        pass


logging.basicConfig(stream=Terminal(), level=logging.INFO, format="%(threadName)s %(message)s")


def work(me):
    for i in range(60):
        began = time.perf_counter()
        logging.info("item %d", i)  # FAULT lock-contention
        waited[me] += time.perf_counter() - began - 0.0041


threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("truth", max(waited))
