"""Three functions burn 60, 30 and 10 % of the CPU time, each on one known line, and numpy works for a fourth where it is
installed and asked for.

usage: shares.py SECONDS [numpy]
Prints the facts "line_NAME N" (where each burns), "NAME_us" (what it burnt) and "cpu_us" (all).
"""
import sys
import time

clock = time.process_time
ROUNDS = 4


def sixty(end):
    while clock() < end: sum(range(4000))  # a loop of one line


def thirty(end):
    while clock() < end: sum(range(4000))


def ten(end):
    while clock() < end: sum(range(4000))


def in_numpy(seconds):
    import numpy
    values = numpy.arange(400000, dtype=float)
    began = clock()
    while clock() < began + seconds:
        numpy.sqrt(values, out=values)
    return clock() - began


def main(seconds):
    burnt = dict.fromkeys((sixty, thirty, ten), 0.0)
    for _ in range(ROUNDS):
        for function, share in ((sixty, 0.6), (thirty, 0.3), (ten, 0.1)):
            began = clock()
            function(began + seconds * share / ROUNDS)
            burnt[function] += clock() - began
    for function, spent in burnt.items():
        print(f"line_{function.__name__}", function.__code__.co_firstlineno + 1)
        print(f"{function.__name__}_us", int(spent * 1e6))
    if "numpy" in sys.argv:
        print("line_numpy", in_numpy.__code__.co_firstlineno + 5)
        print("numpy_us", int(in_numpy(seconds) * 1e6))
    print("cpu_us", int(clock() * 1e6))


main(float(sys.argv[1]))
