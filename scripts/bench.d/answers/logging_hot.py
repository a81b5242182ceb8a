"""Logs each record of an inner loop."""
import logging
import os
import time

logging.basicConfig(filename=os.devnull, level=logging.DEBUG, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("app")
spent = 0.0
total = 0
for i in range(60000):
    total += i * i
    began = time.perf_counter()
    log.debug("record %d has %d", i, total)  # FAULT logging
    spent += time.perf_counter() - began
print("truth", spent)
