"""Allocates a big block at as many kinds of places as Python has, and writes down its own stack at each of them.

usage: places.py OUTPUT
OUTPUT becomes {"stacks": [[...], ...]}: each stack a list of [file, name, line], innermost first, as the
interpreter tells it; "name" is the qualified name where code objects have one. All blocks are of the same size, printed
as the fact "block".
"""
import asyncio
import json
import sys

import places_concurrent as concurrent
import places_flow as flow
import places_objects as objects
from marks import BLOCK, mark, stacks


def main():
    for place in (flow.plain, flow.several_lines, flow.drive_generators, flow.comprehensions, flow.decorated, flow.blocks,
                  objects.classes, objects.from_c, objects.texts, objects.modules, concurrent.threads, concurrent.signals,
                  concurrent.traced):
        place()
    flow.recursion(40)
    asyncio.run(concurrent.coroutines())
    (lambda: mark(
    ))()


main()
with open(sys.argv[1], "w", encoding="utf-8") as output:
    json.dump({"stacks": stacks}, output)
print("block", BLOCK)
print("marks", len(stacks))
