"""Request router with a rules file."""
import json
import os
import random
import time

RULES = "rules.json"
cost = 0.0


def write_rules():
    rng = random.Random(5)
    rules = []
    for i in range(1500):
        headers = {"x-%d" % k: "v" * 12 for k in range(6)}
        prefix, backend = "/%s/%d" % (rng.choice("abcdef") * 3, i), "http://10.0.0.%d" % (i % 250)
        rules.append({"prefix": prefix, "backend": backend, "weight": rng.random(), "headers": headers})
    with open(RULES, "w") as f:
        json.dump(rules, f)


def load_rules():
    with open(RULES) as f:
        return json.load(f)


def route(path):
    global cost
    t = time.perf_counter()
    rules = load_rules()  # FAULT json repeated-reads
    cost += time.perf_counter() - t
    best = None
    for rule in rules:
        if path.startswith(rule["prefix"]) and (best is None or len(rule["prefix"]) > len(best["prefix"])):
            best = rule
    return best["backend"] if best else "default"


def render(path, backend):
    parts = []
    for i in range(9000):
        parts.append("%s?%d -> %s" % (path, i, backend))
    return len("".join(parts))


def main():
    write_rules()
    size = 0
    n = 320
    for i in range(n):
        path = "/%s/%d/index" % ("abcdef"[i % 6] * 3, i * 4)
        size += render(path, route(path))
    os.unlink(RULES)
    print(size)
    print("truth %.3f" % (cost * (n - 1) / n))


main()
