"""Assigns samples to the nearest of a few centres (one k-means step), then a PCA."""
import time
import numpy as np


def load(n, d):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(size=(8, d))


def assign(x, centres):
    labels = np.zeros(len(x), dtype=int)
    for i in range(len(x)):
        best, where = 1e30, 0
        for j in range(len(centres)):
            d = ((x[i] - centres[j]) ** 2).sum()  # FAULT small-arrays
            if d < best:
                best, where = d, j
        labels[i] = where
    return labels


def assign_fast(x, centres):
    return ((x[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)


def pca(x):
    for _ in range(12):
        u, s, vt = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    return s


def main():
    x, c = load(70000, 16)
    t, cpu = time.perf_counter(), time.thread_time()
    labels = assign(x, c)
    slow, slow_cpu = time.perf_counter() - t, time.thread_time() - cpu
    s = pca(np.random.default_rng(4).normal(size=(20000, 48)))
    cpu = time.thread_time()
    assert (labels == assign_fast(x, c)).all()
    fast_cpu = time.thread_time() - cpu
    print("labels %s s0 %.2f" % (np.bincount(labels), s[0]))
    saved = slow_cpu - fast_cpu
    print("truth %.3f %.3f" % (slow * saved / slow_cpu, saved))


main()
