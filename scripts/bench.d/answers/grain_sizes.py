"""Measures the grains in a labelled micrograph: area, mean brightness and centre of each.

What is wrong: for every label the whole image is compared with it and the mask picks the grain's pixels: 900
passes over four million pixels.
First screen should say: the time is in `labels == number` and the indexing by that mask in Micrograph.measure, a full pass
over the image for each label - count all labels in one pass (np.bincount).
Mend: np.bincount over the flattened labels, with weights for brightness and coordinates.
"""
import time

import numpy as np

SIDE = 2100
CELL = 70


class Micrograph:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.image = rng.random((SIDE, SIDE), dtype=np.float32)
        self.measuring = 0.0
        y, x = np.mgrid[0:SIDE, 0:SIDE]
        wave = (6 * np.sin(y / 17) + 6 * np.cos(x / 23)).astype(np.int64)
        across = SIDE // CELL
        self.labels = 1 + ((y + wave) // CELL % across) * across + (x + wave) // CELL % across

    def smooth(self, rounds):
        image = self.image
        for _ in range(rounds):
            image = 0.5 * image + 0.125 * (np.roll(image, 1, 0) + np.roll(image, -1, 0) + np.roll(image, 1, 1) + np.roll(image, -1, 1))
        self.image = image

    def edges(self):
        dy, dx = np.gradient(self.image)
        return float(np.sqrt(dy * dy + dx * dx).mean())

    def measure(self):
        grains = []
        began = time.perf_counter()
        for number in range(1, self.labels.max() + 1):
            mask = self.labels == number  # FAULT key-scans
            area = np.count_nonzero(mask)
            grains.append((area, self.image[mask].mean()))  # FAULT key-scans
        self.measuring += time.perf_counter() - began
        return np.array(grains)

    def measure_at_once(self):
        flat = self.labels.ravel()
        area = np.bincount(flat)[1:]
        return np.stack([area, np.bincount(flat, self.image.ravel())[1:] / area], 1)


picture = Micrograph(5)
picture.smooth(12)
grains = picture.measure()
print("grains", len(grains), "largest", int(grains[:, 0].max()), "edges", round(picture.edges(), 5))
began = time.perf_counter()
again = picture.measure_at_once()
assert np.allclose(again, grains, rtol=1e-3)
print("truth", picture.measuring - (time.perf_counter() - began))
