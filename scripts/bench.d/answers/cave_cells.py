"""Floods caves and measures their rooms; the cells are small hashable objects.

What is wrong: Cell.__hash__ is x ^ y, which has only 256 values for a cave of 256 by 256: dozens of cells share each
hash, and every look-up in the set compares its way through them with the Python-level __eq__.
First screen should say: the time goes to Cell.__eq__, millions of calls from set look-ups in Cave.flood, because
Cell.__hash__ collides heavily.
Mend: hash((x, y)).
"""
import time


class Cell:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y  # FAULT equal-hashes

    def __hash__(self):
        return self.x ^ self.y  # FAULT equal-hashes

    def around(self):
        yield type(self)(self.x + 1, self.y)
        yield type(self)(self.x - 1, self.y)
        yield type(self)(self.x, self.y + 1)
        yield type(self)(self.x, self.y - 1)


class SpreadCell(Cell):
    __slots__ = ()

    def __hash__(self):
        return hash((self.x, self.y))


class Cave:
    """Rock and air in a grid, smoothed a few times."""

    def __init__(self, seed, width, height):
        self.width, self.height = width, height
        state = seed
        self.air = bytearray(width * height)
        for i in range(width * height):
            state = (state * 1103515245 + 12345) % 2 ** 31
            self.air[i] = (state >> 16) % 100 < 58
        for _ in range(2):
            self.smooth()

    def smooth(self):
        width, air = self.width, self.air
        after = bytearray(air)
        for y in range(1, self.height - 1):
            for x in range(1, width - 1):
                i = y * width + x
                n = (air[i - 1] + air[i + 1] + air[i - width] + air[i + width]
                     + air[i - width - 1] + air[i - width + 1] + air[i + width - 1] + air[i + width + 1])
                after[i] = 1 if n > 4 else 0 if n < 4 else air[i]
        self.air = after

    def is_air(self, x, y):
        return 0 <= x < self.width and 0 <= y < self.height and self.air[y * self.width + x]

    def flood(self, kind, limit):
        start = next(kind(x, self.height // 2) for x in range(self.width) if self.is_air(x, self.height // 2))
        seen = {start}
        edge = [start]
        while edge and len(seen) < limit:
            reached = []
            for cell in edge:
                for near in cell.around():
                    if self.is_air(near.x, near.y) and near not in seen:
                        seen.add(near)
                        reached.append(near)
            edge = reached
        return len(seen)


sizes, flooding, checking = [], 0.0, 0.0
caves = [Cave(seed, 256, 256) for seed in [*range(1, 9), 10, 12, 13]]
for cave in caves:
    began = time.perf_counter()
    sizes.append(cave.flood(Cell, 20000))
    flooding += time.perf_counter() - began
began = time.perf_counter()
n = caves[0].flood(SpreadCell, 12000)
checking = (time.perf_counter() - began) / n
print("sizes", sizes)
print("truth", flooding - checking * sum(sizes))
