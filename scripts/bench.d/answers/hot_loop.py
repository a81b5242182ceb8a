"""Counts pairs with a nested loop of Python."""
import time


def pairs(values, target):
    count = 0
    for i in range(len(values)):
        for j in range(i + 1, len(values)):
            if values[i] + values[j] == target:  # FAULT python-loop
                count += 1
    return count


began = time.perf_counter()
pairs([i * 7 % 1000 for i in range(7000)], 999)
print("truth", time.perf_counter() - began)
