"""Keeps a thumbnail of each frame of a film, to find its cuts.

What is wrong: a thumbnail is a slice of its frame, and a slice is a view: each of the kept thumbnails (32 kB) keeps its
whole frame (8 MB) in memory.
First screen should say: memory grows by 8 MB for every frame, allocated in Film.frame and never given back: the list of
thumbnails holds views of them - copy the slice.
Mend: frame[::16, ::16].copy().
"""
import numpy as np

FRAMES = 76
HEIGHT, WIDTH = 1024, 2048


class Film:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.y, self.x = np.ogrid[0:HEIGHT, 0:WIDTH]

    def frame(self, number):
        scene = number // 12
        light = np.float32(0.5 + 0.1 * (scene % 4))
        wave = np.sin(self.y / np.float32(40 + scene)).astype(np.float32) * np.cos(self.x / np.float32(60 + scene)).astype(np.float32)
        picture = wave * np.float32(0.5) + light  # FAULT host-memory-grows
        picture += self.rng.random((HEIGHT, WIDTH), dtype=np.float32) * np.float32(0.05)
        return picture


def contrast(frame):
    """How sharp the frame is: the mean of the second differences."""
    across = frame[:, 2:] - 2 * frame[:, 1:-1] + frame[:, :-2]
    down = frame[2:] - 2 * frame[1:-1] + frame[:-2]
    return float(np.abs(across).mean() + np.abs(down).mean())


class Album:
    def __init__(self):
        self.thumbnails = []
        self.sharpness = []

    def add(self, frame):
        self.sharpness.append(contrast(frame))
        self.thumbnails.append(frame[::16, ::16])  # FAULT host-memory-grows

    def cuts(self, limit):
        pairs = zip(self.thumbnails, self.thumbnails[1:])
        return [i + 1 for i, (a, b) in enumerate(pairs) if np.abs(a - b).mean() > limit]

    def held(self):
        return sum(t.base.nbytes - t.nbytes for t in self.thumbnails if t.base is not None)


film = Film(2)
album = Album()
for number in range(FRAMES):
    album.add(film.frame(number))
print("cuts", album.cuts(0.05), "sharpest", int(np.argmax(album.sharpness)))
print("truth", album.held(), "bytes")
