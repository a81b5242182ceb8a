"""Work that is made of calls: pure Python code of the standard library, and the smallest functions there are.

usage: python_calls.py none|cProfile WORK    prints the wall time of the work in seconds
"""
import copy
import difflib
import fractions
import io
import json.decoder
import json.scanner
import sys
import textwrap
import time
import tokenize


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Counter:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)
        return len(self.values)


def small_functions():
    """A few functions, called very often: the worst that can be asked of a profiler."""
    fib(22)
    counter = Counter()
    for i in range(60000):
        counter.add(i)


def standard_library():
    """Some hundred functions of the standard library: what programs look like."""
    with open(textwrap.__file__) as file:
        source = file.read()
    for _ in tokenize.generate_tokens(io.StringIO(source).readline):
        pass
    textwrap.wrap(source, 60)
    lines = source.splitlines()
    list(difflib.ndiff(lines[:60], lines[20:80]))
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    data = decoder.decode(json.dumps([{"name": line, "number": i / 7, "list": [i] * 5} for i, line in enumerate(lines)]))
    copy.deepcopy(data)
    sum((fractions.Fraction(1, i) for i in range(1, 400)), fractions.Fraction(0))


def main():
    profiler, work = sys.argv[1], globals()[sys.argv[2]]
    work()  # imports, caches and compiled patterns are not measured
    start = time.perf_counter()
    if profiler == "cProfile":
        import cProfile

        cProfile.Profile().runcall(work)
    else:
        work()
    print("%.6f" % (time.perf_counter() - start))


if __name__ == "__main__":
    main()
