"""Turns a file of GeoJSON features (one a line) from degrees to web map metres, with lengths and simplified lines."""
import json
import math
import random
import zlib

RADIUS = 6378137.0
SOURCE, TARGET = "roads.geojsonl", "roads.metres.jsonl"


def write_source(count):
    draw = random.Random(60)
    with open(SOURCE, "w") as out:
        for number in range(count):
            x, y = draw.uniform(5.5, 15.0), draw.uniform(47.3, 54.9)
            heading = draw.uniform(0, 6.28)
            line = []
            for _ in range(draw.randrange(10, 60)):
                line.append([round(x, 6), round(y, 6)])
                heading += draw.gauss(0, 0.2)
                x += math.cos(heading) * 0.0007
                y += math.sin(heading) * 0.0004
            feature = {
                "type": "Feature",
                "id": number,
                "properties": {"name": "Road %d" % number, "lanes": 1 + number % 4, "surface": None},
                "geometry": {"type": "LineString", "coordinates": line},
            }
            out.write(json.dumps(feature) + "\n")


def project(line):
    log, tan, scale, quarter = math.log, math.tan, math.radians(1.0), math.pi / 4
    return [(RADIUS * scale * x, RADIUS * log(tan(quarter + scale * y / 2))) for x, y in line]


def simplify(line, tolerance):
    """Douglas and Peucker, with a stack instead of recursion."""
    keep = {0, len(line) - 1}
    stack = [(0, len(line) - 1)]
    while stack:
        first, last = stack.pop()
        x, y = line[first]
        dx, dy = line[last][0] - x, line[last][1] - y
        size = math.hypot(dx, dy) or 1.0
        far, at = 0.0, None
        for i in range(first + 1, last):
            px, py = line[i]
            distance = abs(dx * (py - y) - dy * (px - x)) / size
            if distance > far:
                far, at = distance, i
        if far > tolerance:
            keep.add(at)
            stack += [(first, at), (at, last)]
    return [line[i] for i in sorted(keep)]


def transform(feature):
    metres = project(feature["geometry"]["coordinates"])
    length = sum(map(math.dist, metres, metres[1:]))
    short = simplify(metres, 12.0)
    properties = {name: value for name, value in feature["properties"].items() if value is not None}
    properties["metres"] = round(length, 1)
    feature["properties"] = properties
    feature["geometry"]["coordinates"] = [(round(x, 2), round(y, 2)) for x, y in short]
    return feature, len(metres), len(short), length


def main():
    write_source(24_000)
    before = after = 0
    total = 0.0
    check = 0
    with open(SOURCE) as source, open(TARGET, "w") as target:
        for line in source:
            feature, points, kept, length = transform(json.loads(line))
            text = json.dumps(feature, separators=(",", ":"))
            check = zlib.crc32(text.encode(), check)
            target.write(text + "\n")
            before += points
            after += kept
            total += length
    print("points %d kept %d, %.1f km, sum %08x" % (before, after, total / 1000, check))


main()
