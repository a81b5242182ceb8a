"""Simulates a queue and keeps its waiting times."""
import time
import numpy as np

spent = 0.0


def arrivals(rng, n):
    return np.cumsum(rng.exponential(1.0, n))


def record(history, row):
    global spent
    t = time.perf_counter()
    history = np.append(history, row)  # FAULT growing-by-copies
    spent += time.perf_counter() - t
    return history


def simulate(rng, n):
    history = np.empty(0)
    free_at = 0.0
    for t in arrivals(rng, n):
        start = max(t, free_at)
        free_at = start + 0.9
        history = record(history, [t, start, free_at, start - t])
    return history.reshape(-1, 4)


def spectrum(x):
    total = 0.0
    for k in range(150):
        y = np.fft.rfft(x * np.cos(k * 0.01))
        total += float(np.abs(y[1:50]).sum())
    return total


def main():
    rng = np.random.default_rng(1)
    h = simulate(rng, 18000)
    s = spectrum(rng.normal(size=200000))
    print("mean wait %.3f spectrum %.3g" % (h[:, 3].mean(), s))
    print("truth %.3f" % spent)


main()
