"""Lines that are run a known number of times.

usage: exact_lines.py work      runs them
       exact_lines.py counts    runs them under a trace function of its own, and prints "LINE HITS" for each
"""
import collections
import sys
import threading
import time


def loop(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        else:
            total -= 1
    while total > 0:
        total -= 7
    return total


def recurse(n):
    if n == 0:
        return 0
    below = recurse(n - 1)
    return below + 1


def pairs(n):
    for i in range(n):
        yield i
        yield -i


def fails(n):
    for i in range(n):
        try:
            int("x")
        except ValueError:
            continue
        finally:
            n += 0


class Thing:
    def __init__(self, value):
        self.value = value

    def slow(self):
        time.sleep(0.05)
        return self.value


def comprehensions(n):
    squares = [
        i * i
        for i in range(n)
    ]
    return {
        i: str(i)
        for i in squares
    }


def work():
    loop(50)
    recurse(20)
    for _ in pairs(6):
        pass
    fails(4)
    Thing(1).slow()
    comprehensions(5)
    names = sorted(
        ["b", "a"],
        key=lambda name: name,
    )
    return names


def counted():
    counts = collections.Counter()

    def trace(frame, what, argument):
        if frame.f_code.co_filename != __file__:
            return None
        if what == "line":
            counts[frame.f_lineno] += 1
        return trace

    threading.settrace(trace)
    sys.settrace(trace)
    work()
    sys.settrace(None)
    for line, hits in sorted(counts.items()):
        print(line, hits)


if __name__ == "__main__":
    if sys.argv[1] == "counts":
        counted()
    else:
        work()
