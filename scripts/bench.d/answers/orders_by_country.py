"""Adds up a year's orders of a shop by country, from a file with one JSON document a line.

What is wrong: load() makes a list of all documents before the first is looked at; each is needed once.
First screen should say: all rows are in memory at once, most of what the program needs, at the line in load.
Mend: go through the file: yield json.loads(line).
"""
import json
import os
import random
import resource

PATH = "orders.jsonl"


def write(count):
    draw = random.Random(8)
    countries = ["AT", "CH", "DE", "DK", "FR", "IT", "NL", "PL"]
    with open(PATH, "w") as out:
        for number in range(count):
            order = {
                "number": number,
                "country": draw.choice(countries),
                "customer": "c%07d" % draw.randrange(40_000),
                "items": [draw.randrange(5000) for _ in range(draw.randrange(1, 5))],
                "cents": draw.randrange(500, 40_000),
            }
            out.write(json.dumps(order) + "\n")


def load(file):
    return [json.loads(line) for line in file]  # FAULT rows-at-once


def by_country(orders):
    sums = {}
    for order in orders:
        cents, count = sums.get(order["country"], (0, 0))
        sums[order["country"]] = (cents + order["cents"], count + len(order["items"]))
    return sums


def highest():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    write(240_000)
    before = highest()
    with open(PATH) as file:
        sums = by_country(load(file))
    grown = highest() - before
    os.remove(PATH)
    for country, (cents, count) in sorted(sums.items()):
        print(country, cents, count)
    print("truth %d bytes" % grown)


main()
