"""Simulates a magnet on a square lattice (Ising model) while it cools down; whole checkerboards of spins at a time."""
import numpy as np

SIZE = 512
SWEEPS = 150


class Lattice:
    """Spins of +1 and -1 with a border that repeats the other side."""

    def __init__(self, size, seed):
        self.draw = np.random.default_rng(seed)
        self.size = size
        self.spins = np.empty((size + 2, size + 2), dtype=np.int8)
        self.inner = self.spins[1:-1, 1:-1]
        self.inner[:] = np.where(self.draw.random((size, size)) < 0.5, 1, -1)
        self.field = np.empty((size, size), dtype=np.int8)
        self.chance = np.empty((size, size), dtype=np.float32)
        y, x = np.indices((size, size))
        self.colours = [(x + y) % 2 == 0, (x + y) % 2 == 1]
        self.wrap()

    def wrap(self):
        spins = self.spins
        spins[0], spins[-1] = spins[-2], spins[1]
        spins[:, 0], spins[:, -1] = spins[:, -2], spins[:, 1]

    def neighbours(self):
        spins, field = self.spins, self.field
        np.add(spins[:-2, 1:-1], spins[2:, 1:-1], out=field)
        field += spins[1:-1, :-2]
        field += spins[1:-1, 2:]
        return field

    def sweep(self, temperature):
        # The energy of a flip is 2 * spin * field, so there are five cases.
        accept = np.exp(np.minimum(0.0, -2.0 * np.arange(-4, 5) / temperature)).astype(np.float32)
        for colour in self.colours:
            cases = self.neighbours()
            cases *= self.inner
            cases += 4
            self.draw.random(dtype=np.float32, out=self.chance)
            flip = self.chance < accept.take(cases)
            flip &= colour
            np.negative(self.inner, out=self.inner, where=flip)
            self.wrap()

    def energy(self):
        return -float((self.neighbours() * self.inner).sum(dtype=np.int64)) / 2 / self.inner.size

    def magnetism(self):
        return abs(float(self.inner.mean(dtype=np.float64)))


def correlation(lattice, reach):
    """How alike the spins are at some distance along the rows, by the transform."""
    spectrum = np.abs(np.fft.rfft(lattice.inner.astype(np.float32), axis=1)) ** 2
    return np.fft.irfft(spectrum.mean(axis=0))[:reach] / lattice.size


def main():
    lattice = Lattice(SIZE, 2024)
    for temperature in (3.0, 2.6, 2.3, 2.1):
        for _ in range(SWEEPS):
            lattice.sweep(temperature)
        near = correlation(lattice, 9)
        print(
            "T %.1f energy %.5f magnetism %.5f alike at 4: %.4f at 8: %.4f"
            % (temperature, lattice.energy(), lattice.magnetism(), near[4], near[8])
        )


main()
