"""Reduces a photograph to the colours of a poster: each pixel takes the nearest of a palette.

What is wrong: paint() makes an array of all differences of pixels and colours, (pixels, colours, 3), and of their
squares' sums, for a result of one small number a pixel.
First screen should say: most of the memory at the peak is made by the line in paint that broadcasts all pixels against
all colours.
Mend: go through the pixels in parts, row by row of the picture.
"""
import resource

import numpy as np

HIGH, WIDE, COLOURS = 260, 320, 96


def photograph(draw):
    down, across = np.mgrid[0:HIGH, 0:WIDE] / 40.0
    channels = [np.sin(down * k + across / k) * 90 + 128 for k in (1.0, 1.7, 2.9)]
    picture = np.stack(channels, axis=-1) + draw.normal(0, 12, (HIGH, WIDE, 3))
    return picture.clip(0, 255).astype(np.float32)


class Poster:
    def __init__(self, colours):
        self.colours = colours

    def paint(self, picture):
        pixels = picture.reshape(-1, 3)
        distance = ((pixels[:, np.newaxis] - self.colours[np.newaxis]) ** 2).sum(axis=-1)  # FAULT broadcast-peaks
        return distance.argmin(axis=1).astype(np.uint8).reshape(picture.shape[:2])

    def settle(self, picture, painted):
        """Moves each colour to the mean of its pixels."""
        pixels, owner = picture.reshape(-1, 3), painted.ravel()
        count = np.maximum(np.bincount(owner, minlength=COLOURS), 1)
        for channel in range(3):
            self.colours[:, channel] = np.bincount(owner, pixels[:, channel], COLOURS) / count


def highest():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    draw = np.random.default_rng(4)
    picture = photograph(draw)
    poster = Poster(draw.uniform(0, 255, (COLOURS, 3)).astype(np.float32))
    before = highest()
    for _ in range(4):
        painted = poster.paint(picture)
        poster.settle(picture, painted)
    grown = highest() - before
    print("used", len(np.unique(painted)), "of", COLOURS, "colours, first", painted[0, :8].tolist())
    print("truth %d bytes" % grown)


main()
