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
gc.disable()
cache = [{"id": i, "tags": [i, [i]]} for i in range(300000)]
gc.enable()
gc.set_threshold(5000, 2, 1)  # copied from somewhere
out = []
for i in range(600000):
    out.append([i])  # FAULT garbage-collector
print("truth", spent)
