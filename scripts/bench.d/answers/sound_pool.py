"""SOUND: a pool with as many processes as processors, small tasks in chunks."""
import multiprocessing
import os


def work(n):
    return sum(bytes(1000)) + len(os.urandom(2000)) + sorted(os.urandom(20000))[n % 20000]


if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        print(sum(pool.map(work, range(1500), chunksize=100)))
