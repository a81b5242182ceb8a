"""Sends the whole data set to a pool with each task."""
import multiprocessing
import pickle
import time

data = [(i, str(i)) for i in range(120000)]


def work(job):
    rows, i = job
    return rows[i][0]


if __name__ == "__main__":
    began = time.perf_counter()
    for _ in range(3):
        pickle.dumps(data)
    each = (time.perf_counter() - began) / 3
    with multiprocessing.Pool(2) as pool:
        pool.map(work, [(data, i) for i in range(20)], chunksize=1)  # FAULT pickling
    print("truth", each * 20)  # one thread does that for all
