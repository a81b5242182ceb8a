"""Asks a service that refuses half of all requests, and rests before each new attempt."""
import time

rested = 0.0


def request(item, attempt):
    total = sum(i * i % 7 for i in range(10000))
    if attempt == 0 and item % 2:
        raise ConnectionError("busy")
    return total


def ask(item):
    global rested
    for attempt in range(3):
        try:
            return request(item, attempt)
        except ConnectionError:
            began = time.perf_counter()
            time.sleep(0.05)  # FAULT sleeping
            rested += time.perf_counter() - began


print(sum(ask(item) for item in range(80)))
print("truth", rested)
