"""Finds for each point that a bus reports the street that it is on: the nearest two corners by libm's hypot().

What is wrong: the distance to each corner is a call of libm by ctypes, 4.9 million in all, each of which converts its
arguments and its result.
First screen should say: ctypes calls a function of C for very little work at a time, at the line in distances(), some
1.1 s.
Mend: numpy.hypot() of the whole array.
"""
import ctypes
import ctypes.util
import math
import time

import numpy as np

libm = ctypes.CDLL(ctypes.util.find_library("m"))
libm.hypot.argtypes = [ctypes.c_double, ctypes.c_double]
libm.hypot.restype = ctypes.c_double
spent = []


def corners(blocks=9, size=120.0):
    """Corners of a town laid out in blocks, slightly crooked."""
    return [(i * size + 7 * math.sin(j), j * size + 7 * math.cos(i)) for i in range(blocks) for j in range(blocks)]


def drive(points, seed=3):
    rng = np.random.default_rng(seed)
    heading = np.cumsum(rng.normal(0, 0.25, points))
    x = 540 + 460 * np.sin(np.cumsum(np.cos(heading)) / 90)
    y = 540 + 460 * np.cos(np.cumsum(np.sin(heading)) / 70)
    return np.column_stack((x, y)) + rng.normal(0, 6, (points, 2))


def distances(x, y, town):
    began = time.perf_counter()
    out = np.empty(len(town))
    for number, (u, v) in enumerate(town):
        out[number] = libm.hypot(x - u, y - v)  # FAULT ctypes-calls
    spent.append(time.perf_counter() - began)
    return out


def smooth(track, width=9):
    weights = np.hanning(width)
    weights /= weights.sum()
    return np.column_stack([np.convolve(column, weights, "same") for column in track.T])


def match(track, town):
    """The two nearest corners of each point, with what it costs to go there from those before."""
    path, before = [], None
    for x, y in track.tolist():
        gap = distances(x, y, town)
        near = np.argsort(gap, kind="stable")[:16]
        cost = (gap[near] / 8.0) ** 2
        if before is not None:
            jump = np.abs(near[:, None] - before[None, :]) / 60
            cost = cost + (jump + before[None, :] * 0.001).min(axis=1)
        path.append(tuple(near[np.argsort(cost, kind="stable")[:2]].tolist()))
        before = near
    return path


def main(points=60000):
    town = corners()
    path = match(smooth(drive(points)), town)
    changes = sum(a != b for a, b in zip(path, path[1:]))
    print("points", len(path), "streets", len(set(path)), "changes", changes)
    print("truth", sum(spent))


if __name__ == "__main__":
    main()
