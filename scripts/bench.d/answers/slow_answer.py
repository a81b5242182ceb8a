"""Waits for one slow answer, without a time limit, before it does the rest."""
import os
import time
import urllib.request

began = time.perf_counter()
with urllib.request.urlopen(f"http://{os.environ['SERVICE']}/report/1?delay=1500") as answer:  # FAULT network-waits
    size = len(answer.read())
print("truth", time.perf_counter() - began)
print(size + sum(i * i % 7 for i in range(6000000)))
