"""Plate heat: works out how a metal plate with a few heaters warms up, and fits the
power of the heaters to readings of probes.

Sound.  The state of a plate (explicit time steps) has to be worked out step by step;
each step is a handful of numpy calls on whole arrays with buffers that are used
again.  The responses (one field per heater, 4 of them) and the history of
the probes are needed for the fit; the history of one run is kept for the report.
A hasty profiler might say wrongly: that the Python loop over the steps is the fault
(each round works on 160000 cells); that np.copyto or the buffers are needless copies;
that the 107 MB of frames are a leak (the report uses all of them: it asks for
the median over time of each cell, then lets them go); that Plate.run is called with
the same data (each heater is another source).
"""
import numpy as np

SIDE = 400
STEPS = 1000
EVERY = 12
PROBES = [(40, 60), (200, 210), (330, 90), (120, 350), (260, 300), (370, 370)]


class Plate:
    def __init__(self, conductivity=0.2, loss=0.0015):
        self.conductivity = conductivity
        self.loss = loss
        self.heat = np.zeros((SIDE, SIDE))
        self._flow = np.empty((SIDE - 2, SIDE - 2))

    def step(self, source):
        heat, flow = self.heat, self._flow
        inner = heat[1:-1, 1:-1]
        np.add(heat[:-2, 1:-1], heat[2:, 1:-1], out=flow)
        flow += heat[1:-1, :-2]
        flow += heat[1:-1, 2:]
        flow *= self.conductivity
        inner *= 1.0 - 4.0 * self.conductivity - self.loss
        inner += flow
        heat += source
        heat[0], heat[-1] = heat[1], heat[-2]
        heat[:, 0], heat[:, -1] = heat[:, 1], heat[:, -2]

    def run(self, source, frames=None):
        """Readings of the probes after each step; keeps each twelfth frame if asked."""
        self.heat[:] = 0.0
        rows, columns = np.array(PROBES).T
        readings = np.empty((STEPS, len(PROBES)))
        for number in range(STEPS):
            self.step(source)
            readings[number] = self.heat[rows, columns]
            if frames is not None and number % EVERY == 0:
                np.copyto(frames[number // EVERY], self.heat)
        return readings


def heater(x, y, width):
    rows, columns = np.mgrid[:SIDE, :SIDE]
    return np.exp(-((rows - x) ** 2 + (columns - y) ** 2) / (2.0 * width * width))


def fit_powers(responses, measured):
    """Least squares, weighted by how far each reading is from noise."""
    design = np.stack([response.ravel() for response in responses], axis=1)
    target = measured.ravel()
    powers = np.zeros(len(responses))
    weights = np.ones(len(target))
    for _ in range(8):
        scaled = design * weights[:, None]
        powers, *_ = np.linalg.lstsq(scaled, target * weights, rcond=None)
        off = np.abs(target - design @ powers)
        weights = 1.0 / np.maximum(off, 0.05)
    return powers


def report(frames):
    middle = np.median(frames, axis=0)
    spread = frames.std(axis=0)
    warm = (middle > middle.mean()).mean()
    return middle.max(), spread.mean(), warm


def main():
    rng = np.random.default_rng(12)
    heaters = [heater(60, 80, 30), heater(210, 240, 45), heater(320, 110, 25), heater(150, 330, 35)]
    true_powers = np.array([0.8, 0.35, 1.1, 0.6])
    plate = Plate()
    responses = [plate.run(source) for source in heaters]
    frames = np.empty(((STEPS + EVERY - 1) // EVERY, SIDE, SIDE))
    together = sum(power * source for power, source in zip(true_powers, heaters))
    measured = plate.run(together, frames) + rng.normal(0.0, 0.2, (STEPS, len(PROBES)))
    powers = fit_powers(responses, measured)
    hottest, spread, warm = report(frames)
    print("powers " + " ".join(f"{power:.3f}" for power in powers)
          + f", hottest {hottest:.2f}, spread {spread:.3f}, warm part {warm:.3f}")
    print("truth 0.000")


if __name__ == "__main__":
    main()
