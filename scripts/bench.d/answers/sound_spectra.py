"""Sound: spectra of long recordings by overlapping windows, whole blocks at a time.

The time is in the Fourier transforms; there is nothing here that is worth mending.
"""
import numpy as np

RATE, WINDOW, HOP, BLOCK = 16000, 1024, 256, 64


def recordings(n):
    t = np.arange(RATE * 30) / RATE
    for number in range(n):
        rng = np.random.default_rng(number)
        yield np.sin(2 * np.pi * (300 + 40 * number) * t + 5 * np.sin(t)) + 0.3 * rng.standard_normal(len(t))


class Spectra:
    def __init__(self):
        self.window = np.hanning(WINDOW)
        self.bands = np.zeros(WINDOW // 2 + 1)
        self.numbers = np.arange(WINDOW // 2 + 1)
        self.frames = 0

    def add(self, sound):
        frames = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP]
        centroid = 0.0
        for at in range(0, len(frames), BLOCK):
            waves = np.fft.rfft(frames[at:at + BLOCK] * self.window, axis=1)
            power = waves.real ** 2 + waves.imag ** 2
            self.bands += power.sum(axis=0)
            centroid += float((power @ self.numbers / power.sum(axis=1)).sum())
        self.frames += len(frames)
        return centroid / len(frames)


spectra = Spectra()
centroids = [spectra.add(sound) for sound in recordings(150)]
print("frames", spectra.frames, "peak", int(spectra.bands.argmax()), "centroid", round(sum(centroids) / len(centroids), 4))
