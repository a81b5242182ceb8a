"""Collect readings of a seismic station and look at their spectrum block by block.

What is wrong: Recorder.add() appends each reading with np.append(..., axis=0),
which copies the whole history for every single row (quadratic).
First screen should say: np.append in Recorder.add takes N seconds (and copies
some GB in all): the whole array is copied for each of the rows.
Mend: collect the rows in a list (or in a preallocated array), one np.array at the end.
"""
import time

import numpy as np

CHANNELS = 8
READINGS = 15_000
BLOCK = 256


class Station:
    """Stands for the serial line: gives raw counts of eight channels."""

    def __init__(self, seed=11):
        self.rng = np.random.default_rng(seed)
        self.t = 0

    def read(self):
        self.t += 1
        drift = np.sin(self.t * np.array([0.01, 0.02, 0.05, 0.07, 0.11, 0.13, 0.17, 0.19]))
        return (drift * 2000 + self.rng.normal(0, 120, CHANNELS)).astype(np.int32)


class Calibration:
    def __init__(self):
        self.gain = np.linspace(0.9, 1.1, CHANNELS)
        self.zero = np.arange(CHANNELS) * 3.0

    def apply(self, raw):
        return (raw - self.zero) * self.gain


class Recorder:
    def __init__(self):
        self.rows = np.empty((0, CHANNELS))
        self.spent = 0.0

    def add(self, row):
        t0 = time.perf_counter()
        self.rows = np.append(self.rows, [row], axis=0)  # FAULT growing-by-copies
        self.spent += time.perf_counter() - t0

    def table(self):
        return self.rows


def spectra(table):
    window = np.hanning(BLOCK)[:, None]
    peaks = []
    for start in range(len(table) - BLOCK):
        block = table[start:start + BLOCK]
        power = np.abs(np.fft.rfft((block - block.mean(axis=0)) * window, axis=0)) ** 2
        peaks.append(power.argmax(axis=0))
    return np.array(peaks)


def sta_lta(x, short=50, long=500):
    c = np.cumsum(np.insert(x * x, 0, 0.0))
    sta = (c[long:] - c[long - short:-short]) / short
    lta = (c[long:] - c[:-long]) / long
    return float((sta / lta).max())


def main():
    station, cal, rec = Station(), Calibration(), Recorder()
    for _ in range(READINGS):
        rec.add(cal.apply(station.read()))
    table = rec.table()
    peaks = spectra(table)
    trigger = [round(sta_lta(table[:, c]), 2) for c in range(CHANNELS)]
    print(table.shape, peaks.mean(axis=0).round(2).tolist(), trigger)
    print("truth %.3f" % rec.spent)


if __name__ == "__main__":
    main()
