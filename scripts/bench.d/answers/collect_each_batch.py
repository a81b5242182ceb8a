"""Batch job over a tree of records; frees memory 'to be safe' after each batch."""
import gc
import random
import time

cost = 0.0


class Node:
    __slots__ = ("key", "value", "children")

    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.children = []


def build(n):
    rng = random.Random(11)
    nodes = [Node("root", 0.0)]
    for i in range(n):
        node = Node("k%d" % i, rng.random())
        nodes[rng.randrange(len(nodes))].children.append(node)
        nodes.append(node)
    return nodes


def process_batch(batch):
    total = 0.0
    for node in batch:
        weights = [c.value for c in node.children]
        total += sum(weights) / (len(weights) or 1) + node.value ** 0.5
    return total


def run(nodes, size):
    global cost
    total = 0.0
    for start in range(0, len(nodes), size):
        total += process_batch(nodes[start:start + size])
        t = time.perf_counter()
        gc.collect()  # FAULT garbage-collector
        cost += time.perf_counter() - t
    return total


def main():
    nodes = build(220_000)
    print("%.3f" % run(nodes, 8_000))
    print("truth %.3f" % cost)


main()
