"""Command line tool of a carrier: `prices` needs no geography."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "support"))
t0 = time.perf_counter()
import geotables  # FAULT imports  # noqa: E402
imported = time.perf_counter() - t0


def price(weight, zone, express):
    base = 3.9 + weight * 0.42
    for z in range(zone):
        base *= 1.08
    return round(base * (1.5 if express else 1.0), 2)


def price_list():
    rows = []
    for weight in range(1, 300):
        for zone in range(1, 25):
            for express in (False, True):
                what = (weight, zone, "x" if express else "-", price(weight / 10, zone, express))
                rows.append("%3d kg zone %2d %s %8.2f" % what)
    return rows


def nearest_depot(i):
    return geotables.NEAREST[i]


def main(command="prices"):
    if command == "prices":
        for _ in range(12):
            rows = price_list()
        print(len(rows))
    else:
        print(nearest_depot(3))
    print("truth %.3f" % imported)


main()
