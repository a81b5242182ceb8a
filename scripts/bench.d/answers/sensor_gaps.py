"""Corrects sensors' readings, some of which are missing, and sums them up by hour.

What is wrong: the readings hold None where one is missing, so np.array makes an array of dtype object, and the arithmetic
on it calls Python's operators for every element.
First screen should say: the arithmetic of Series.corrected works on arrays of dtype object (Python floats), which costs
tens of times what float64 would - make the array with dtype=float.
Mend: np.array(rows, dtype=float): None becomes nan.
"""
import functools
import time

import numpy as np

CHANNELS = 150
SAMPLES = 24000


class Log:
    """Readings as they come out of a file: numbers, and None for a gap."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def channel(self, number):
        values = self.rng.normal(20 + number % 7, 3.0, SAMPLES).round(3).tolist()
        for at in range(number % 50, SAMPLES, 997):
            values[at] = None
        return values


array_of = np.array


class Series:
    def __init__(self, values):
        self.values = array_of(values)  # FAULT object-arrays
        missing = np.equal(self.values, None) if self.values.dtype == object else np.isnan(self.values)
        self.valid = np.flatnonzero(~missing.astype(bool))

    def corrected(self, gain, offset):
        x = self.values[self.valid]
        for _ in range(4):
            x = (x - offset) * gain + offset * 0.5 + x * x * 1e-4 - (x - 1.0) * x * x * 1e-7  # FAULT object-arrays
        return x


def spectrum(x):
    x = x.astype(float)
    whole = x[:len(x) // 256 * 256].reshape(-1, 256)
    return np.abs(np.fft.rfft(whole * np.hanning(256), axis=1)).mean(0)


def quantiles(x, width=600):
    x = x.astype(float)
    return np.quantile(x[:len(x) // width * width].reshape(-1, width), [0.05, 0.25, 0.5, 0.75, 0.95], axis=1)


class Summary:
    def __init__(self):
        self.total, self.bands, self.spread, self.spent = 0.0, np.zeros(129), 0.0, 0.0

    def add(self, number, values):
        began = time.perf_counter()
        x = Series(values).corrected(1.02 + number * 1e-4, 0.3)
        self.total += float(x.sum())
        self.bands += spectrum(x)
        self.spread += float(np.ptp(quantiles(x)))
        self.spent += time.perf_counter() - began


log = Log(12)
summary = Summary()
for number in range(CHANNELS):
    summary.add(number, log.channel(number))
print("total", round(summary.total, 3), "peak", int(summary.bands.argmax()), "spread", round(summary.spread, 3))
array_of = functools.partial(np.array, dtype=float)
check = Summary()
for number in range(0, CHANNELS, 15):
    check.add(number, log.channel(number))
print("truth", summary.spent - check.spent * 15)
