"""Distances between all depots (built when imported)."""
import math

DEPOTS = [(math.sin(i) * 80, math.cos(i * 3) * 170) for i in range(1400)]


def haversine(a, b):
    la, lb = math.radians(a[0]), math.radians(b[0])
    d = math.sin((la - lb) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin(math.radians(a[1] - b[1]) / 2) ** 2
    return 12742 * math.asin(math.sqrt(d))


NEAREST = {i: min((haversine(a, b), j) for j, b in enumerate(DEPOTS) if j != i) for i, a in enumerate(DEPOTS)}
