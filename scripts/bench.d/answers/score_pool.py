"""Scores documents against a large table of weights in a pool of two processes.

What is wrong: the table is bound into the mapped function by functools.partial, so it is pickled, sent through a pipe and
unpickled again for every single document.
First screen should say: the workers spend their time unpickling (and the parent pickling) tasks of about a megabyte each
- the same table goes along with every task of Pool.imap.
Mend: hand the table to the workers once, by the pool's initializer.
"""
import functools
import multiprocessing
import random
import time

DOCUMENTS = 160
TABLE = {}


def make_table(n):
    rng = random.Random(3)
    return {f"term-{i:05d}": (rng.random(), rng.randrange(50), f"class-{i % 40}") for i in range(n)}


def make_documents(n):
    rng = random.Random(4)
    for i in range(n):
        yield i, [f"term-{int(rng.paretovariate(0.6)) % 30000:05d}" for _ in range(4000)]


def score(table, document):
    number, terms = document
    classes = {}
    last = None
    for position, term in enumerate(terms):
        weight, rank, kind = table[term]
        bonus = 1.2 if kind == last else 1.0
        classes[kind] = classes.get(kind, 0.0) + weight * bonus / (1 + rank + position / 1000)
        last = kind
    best = max(classes, key=lambda kind: (classes[kind], kind))
    return number, best, round(classes[best], 6)


def keep_table(table):
    TABLE.update(table)


def score_by_kept(document):
    return score(TABLE, document)


class Ranking:
    def __init__(self, table):
        self.table = table

    def run(self, pool, documents):
        task = functools.partial(score, self.table)
        results = {}
        for number, best, value in pool.imap_unordered(task, documents):  # FAULT pickling
            results[number] = best, value
        return results


def main():
    table = make_table(30000)
    documents = list(make_documents(DOCUMENTS))
    ranking = Ranking(table)
    with multiprocessing.Pool(2) as pool:
        began = time.perf_counter()
        results = ranking.run(pool, documents)
        took = time.perf_counter() - began
    counts = {}
    for best, _ in results.values():
        counts[best] = counts.get(best, 0) + 1
    with multiprocessing.Pool(2, keep_table, (table,)) as pool:
        pool.map(score_by_kept, documents[:2])
        began = time.perf_counter()
        for _ in pool.imap_unordered(score_by_kept, documents[:16]):
            pass
        mended = time.perf_counter() - began
    print("classes", len(counts), "most", max(counts.values()))
    print("truth", took - mended * DOCUMENTS / 16)


if __name__ == "__main__":
    main()
