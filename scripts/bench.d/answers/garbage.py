"""Builds many small objects beside a large live heap."""
import gc
import time

spent = 0.0
began_at = 0.0


def watch(phase, info):
    global spent, began_at
    if phase == "start":
        began_at = time.perf_counter()
    else:
        spent += time.perf_counter() - began_at


gc.callbacks.append(watch)
cache = [{"id": i, "tags": [i, [i]]} for i in range(300000)]
out = []
for i in range(2500000):
    out.append([i])  # FAULT garbage-collector
    if len(out) > 200000:
        out = []
    if i % 250000 == 0:
        gc.collect()
print("truth", spent)
