"""Joins the frames of a line of sensors into one table, then fits a baseline to each channel."""
import time

import numpy as np

spent = 0.0


class Recorder:
    def __init__(self, channels):
        self.table = np.empty((0, channels))

    def add(self, frame):
        global spent
        t = time.perf_counter()
        self.table = np.vstack([self.table, frame])  # FAULT growing-by-copies
        spent += time.perf_counter() - t


def frames(rng, count, channels):
    level = rng.normal(size=channels)
    for _ in range(count):
        level = level + rng.normal(scale=0.01, size=channels)
        yield level + rng.normal(scale=0.1, size=(24, channels))


def baselines(table, rounds):
    t = np.linspace(-1, 1, len(table))
    out = 0.0
    for degree in range(1, rounds):
        fit = np.polynomial.chebyshev.chebfit(t, table, degree % 7 + 1)
        out += float(np.abs(fit).sum())
    return out


def main():
    rng = np.random.default_rng(3)
    recorder = Recorder(64)
    for frame in frames(rng, 1100, 64):
        recorder.add(frame)
    print("rows", len(recorder.table), "baselines %.4f" % baselines(recorder.table, 14))
    print("truth %.3f" % spent)


main()
