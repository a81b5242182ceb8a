"""Sends a pool numbers one by one; each takes less time than the way to the worker."""
import multiprocessing
import time


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        pool.map(square, range(4))
        began = time.perf_counter()
        total = sum(pool.map(square, range(30000), chunksize=1))  # FAULT waiting-at-pipes hand-overs pickling
        one_by_one = time.perf_counter() - began
        began = time.perf_counter()
        assert total == sum(pool.map(square, range(30000)))
        print("truth", one_by_one - (time.perf_counter() - began))
