"""Makes many short functions where others were before.

usage: remade_code.py names COUNT MS     function made_K (three digits) is at lines K + 1 and K + 2 of
                                         "made.py", and burns MS ms or a little more: the
                                         fact "made_K", in us
       remade_code.py again COUNT        the same source is compiled and run COUNT times
"""
import sys
import time

clock = time.process_time


def names(count, seconds):
    addresses = set()
    burnt = [0.0] * count
    for _ in range(3):
        for k in range(count):
            space = {"clock": clock}
            # Always as long as the others, so that the new one fits where the last one was.
            source = "\n" * k + f"def made_{k:03}(end):\n  while clock() < end: sum(range(20000))\n" + "\n" * (count - k)
            exec(compile(source, "made.py", "exec"), space)
            made = space[f"made_{k:03}"]
            addresses.add(id(made.__code__))
            began = clock()
            made(began + seconds / 3)
            burnt[k] += clock() - began
            space.clear()
            del made
    for k in range(count):
        print(f"made_{k:03}", int(burnt[k] * 1e6))
    print("count", count)
    print("made", 3 * count)
    print("addresses", len(addresses))


def again(count):
    source = "def remade(n):\n  return [n] * 300\nfor k in range(3):\n  remade(k)\n"
    for _ in range(count):
        exec(compile(source, "again.py", "exec"), {})
    print("count", count)


if sys.argv[1] == "names":
    names(int(sys.argv[2]), float(sys.argv[3]) * 1e-3)
else:
    again(int(sys.argv[2]))
