"""Find the dominant period of every pixel in a stack of satellite images.

The stack holds one image per acquisition.  For each pixel the series over
time is cleaned of outliers and tapered, and the strongest peak of its
periodogram is taken.  This is done with several tapers; the median over them
gives the map of periods, which is summarised by region.

The values of a series lie an image apart, and each pass over it takes as long as
that many misses of the cache.
"""
import time
from dataclasses import dataclass

import numpy as np

SEED = 21
TAPERS = {
    "hann": np.hanning,
    "hamming": np.hamming,
    "blackman": np.blackman,
    "none": np.ones,
}


@dataclass(frozen=True)
class Grid:
    steps: int = 2048
    rows: int = 64
    cols: int = 160
    interval_days: float = 2.5


@dataclass
class PixelResult:
    period: float
    strength: float


def make_stack(grid):
    """Noise plus a seasonal signal whose period varies from west to east."""
    rng = np.random.default_rng(SEED)
    stack = rng.standard_normal((grid.steps, grid.rows, grid.cols), dtype=np.float32)
    periods = np.linspace(90.0, 365.0, grid.cols, dtype=np.float32)
    days = np.arange(grid.steps, dtype=np.float32) * grid.interval_days
    season = np.sin(2 * np.pi * days[:, None] / periods[None, :])
    stack += season[:, None, :].astype(np.float32)
    return stack


class PeriodFinder:
    """Periodogram of one series at a time, with the fixed parts kept."""

    spent = 0.0  # in cleaning

    def __init__(self, grid, taper, limit=3.0):
        self.grid = grid
        self.limit = limit
        self.taper = TAPERS[taper](grid.steps).astype(np.float32)
        self.frequencies = np.fft.rfftfreq(grid.steps, d=grid.interval_days)
        # Ignore the mean and anything slower than about three years.
        self.first = int(np.searchsorted(self.frequencies, 1.0 / 1100.0))

    def clip_outliers(self, series):
        centre = series.mean()
        spread = self.limit * series.std()
        return np.clip(series, centre - spread, centre + spread) - centre

    def analyse(self, series):
        start = time.perf_counter()
        cleaned = self.clip_outliers(series) * self.taper
        self.spent += time.perf_counter() - start
        spectrum = np.fft.rfft(cleaned)
        power = spectrum.real ** 2 + spectrum.imag ** 2
        best = self.first + int(np.argmax(power[self.first:]))
        total = power[self.first:].sum()
        return PixelResult(1.0 / self.frequencies[best], power[best] / total)


def analyse_stack(stack, grid, finder):
    periods = np.empty((grid.rows, grid.cols))
    strengths = np.empty((grid.rows, grid.cols))
    for row in range(grid.rows):
        for col in range(grid.cols):
            result = finder.analyse(stack[:, row, col])  # FAULT column-views
            periods[row, col] = result.period
            strengths[row, col] = result.strength
    return periods, strengths


def smooth_map(values):
    """Median of each pixel's 3 by 3 surroundings."""
    padded = np.pad(values, 1, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return np.median(windows, axis=(2, 3))


def summarise(periods, strengths, blocks=4):
    """Mean period and strength of each vertical strip of the map."""
    lines = []
    for index, strip in enumerate(np.array_split(np.arange(periods.shape[1]), blocks)):
        mean_period = periods[:, strip].mean()
        mean_strength = strengths[:, strip].mean()
        lines.append(f"strip {index}: {mean_period:7.2f} days  {mean_strength:.3f}")
    return lines


def main():
    grid = Grid()
    stack = make_stack(grid)
    finders = [PeriodFinder(grid, taper) for taper in TAPERS]
    maps = [analyse_stack(stack, grid, finder) for finder in finders]
    periods = np.median([periods for periods, _ in maps], axis=0)
    strengths = np.mean([strengths for _, strengths in maps], axis=0)
    for line in summarise(smooth_map(periods), strengths):
        print(line)
    side_by_side = PeriodFinder(grid, "none")
    series = make_stack(Grid(rows=1, cols=1))[:, 0, 0].copy()
    for _ in range(1000):
        side_by_side.analyse(series)
    calls = len(TAPERS) * grid.rows * grid.cols
    print("truth %.3f" % (sum(finder.spent for finder in finders) - side_by_side.spent / 1000 * calls))


if __name__ == "__main__":
    main()
