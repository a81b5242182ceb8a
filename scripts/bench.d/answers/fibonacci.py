"""Computes the same numbers again and again by recursion."""
import time


def ways(steps):
    if steps < 2:
        return 1
    return ways(steps - 1) + ways(steps - 2)  # FAULT python-loop


began = time.perf_counter()
print(ways(35))
print("truth", time.perf_counter() - began)
