"""Validate and split lines of a mail log."""
import random
import re
import time

ADDRESS = re.compile(r"^([a-z0-9]+[._-]?)+@[a-z0-9-]+(\.[a-z0-9-]+)+$")
FIELDS = re.compile(r"(\w+)=(<[^>]*>|\S+)")
cost = 0.0


def make_log(n):
    rng = random.Random(8)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    for i in range(n):
        name = "".join(rng.choice(letters) for _ in range(21 if i % 1200 == 5 else 8))
        address = name + ("" if i % 1200 == 5 else "@example%d.com" % (i % 40))
        yield "id=%06d from=<%s> size=%d relay=mx%d.example.org status=sent" % (i, address, rng.randrange(90000), i % 9)


def parse(line):
    return dict(FIELDS.findall(line))


def is_valid(address):
    global cost
    t = time.perf_counter()
    ok = ADDRESS.match(address) is not None  # FAULT regular-expressions
    cost += time.perf_counter() - t
    return ok


def main():
    valid = invalid = 0
    sizes = {}
    for line in make_log(24_000):
        record = parse(line)
        if is_valid(record["from"].strip("<>")):
            valid += 1
            sizes[record["relay"]] = sizes.get(record["relay"], 0) + int(record["size"])
        else:
            invalid += 1
    print(valid, invalid, len(sizes))
    print("truth %.3f" % cost)


main()
