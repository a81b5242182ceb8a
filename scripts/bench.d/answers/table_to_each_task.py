"""Score documents against a big lookup table with a process pool."""
import random
import time
from functools import partial
from multiprocessing import Pool


def build_table(n=120_000):
    rng = random.Random(1)
    return {"term%06d" % i: (rng.random(), i % 17) for i in range(n)}


def score(document, table):
    t = time.perf_counter()
    total = 0.0
    for repeat in range(4):
        for word in document:
            weight, group = table.get(word, (0.0, 0))
            total += weight * (group + 1) / (repeat + 1)
    return total, time.perf_counter() - t


def documents(n):
    rng = random.Random(2)
    return [["term%06d" % rng.randrange(130_000) for _ in range(6000)] for _ in range(n)]


def main():
    table = build_table()
    docs = documents(16)
    t = time.perf_counter()
    with Pool(2) as pool:
        results = pool.map(partial(score, table=table), docs, chunksize=1)  # FAULT pickling
    wall = time.perf_counter() - t
    computing = sum(r[1] for r in results)
    print("%.3f best, phase %.3f computing %.3f" % (max(r[0] for r in results), wall, computing))
    print("truth %.3f" % (wall - computing / 2))


main()
