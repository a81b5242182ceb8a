"""Simulate heat in a plate with a hot pipe (explicit finite differences, numpy) and pack the frames.

Sound: nothing is wrong. The arrays are allocated once, the stencil works in place on slices, frames are packed as
they come and only a summary is kept; the time goes into the arithmetic and the compression.
"""
import time
import zlib

import numpy as np

SIZE, STEPS, EVERY = 500, 2200, 50


class Plate:
    def __init__(self, size, alpha=0.2):
        self.now = np.zeros((size, size))
        self.then = np.zeros_like(self.now)
        self.work, self.four = np.empty((2, size - 2, size - 2))
        self.alpha = alpha
        y, x = np.mgrid[0:size, 0:size]
        self.pipe = (x - size * 0.3) ** 2 + (y - size * 0.6) ** 2 < (size * 0.05) ** 2
        self.hold()

    def hold(self):
        self.now[self.pipe] = 100.0
        self.now[0, :] = self.now[-1, :] = 0.0
        self.now[:, 0] = self.now[:, -1] = 20.0

    def step(self):
        old, work = self.now, self.work
        middle = old[1:-1, 1:-1]
        np.add(old[:-2, 1:-1], old[2:, 1:-1], out=work)
        work += old[1:-1, :-2]
        work += old[1:-1, 2:]
        work -= np.multiply(middle, 4.0, out=self.four)
        work *= self.alpha
        np.add(middle, work, out=self.then[1:-1, 1:-1])
        self.now, self.then = self.then, self.now
        self.hold()


class Recorder:
    """Packs each frame to 16-bit differences from the one before; keeps sizes, not frames."""

    def __init__(self):
        self.before = None
        self.sizes = []

    def record(self, field):
        frame = np.round(field * 100).astype(np.int16)
        packed = frame if self.before is None else frame - self.before
        self.sizes.append(len(zlib.compress(packed.tobytes(), 6)))
        self.before = frame


def main():
    started = time.perf_counter()
    plate, recorder = Plate(SIZE), Recorder()
    for number in range(STEPS):
        plate.step()
        if number % EVERY == 0:
            recorder.record(plate.now)
    print(f"mean {plate.now.mean():.4f}, {len(recorder.sizes)} frames, {sum(recorder.sizes)} bytes")
    print(f"total {time.perf_counter() - started:.3f}")


if __name__ == "__main__":
    main()
