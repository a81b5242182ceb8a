"""Loads a .prof file as pstats and snakeviz do, prints what is in it, and fails where they would.

One line for each function and caller: its key and figures, separated by tabs.
"""

import cProfile
import io
import pstats
import sys


def shape(value):
    """The types in a table of statistics, which must be those of cProfile's own."""
    return (type(value), tuple(shape(item) for item in value)) if isinstance(value, tuple) else type(value)


def shapes(stats):
    keys = {shape(key) for key in stats}
    figures = {shape(value[:4]) for value in stats.values()}
    callers = {shape(item) for value in stats.values() for pair in value[4].items() for item in pair}
    assert all(type(value[4]) is dict and len(value) == 5 for value in stats.values())
    return keys, figures, callers


def show(key, figures):
    nc, cc, tt, ct = figures
    print(*key, nc, cc, round(tt * 1e6), round(ct * 1e6), sep="\t")


def own_profile():
    profile = cProfile.Profile()
    profile.runcall(lambda: [len(str(i)) for i in range(3)])
    return profile


path = sys.argv[1]
stats = pstats.Stats(path)
reference = pstats.Stats(own_profile())
if any(value[4] for value in stats.stats.values()):
    assert shapes(stats.stats) == shapes(reference.stats), (shapes(stats.stats), shapes(reference.stats))

for key, (cc, nc, tt, ct, callers) in sorted(stats.stats.items()):
    assert cc > 0 and nc >= cc, key
    show(key, (nc, cc, tt, ct))
    for caller, figures in sorted(callers.items()):
        assert caller in stats.stats, caller
        print("<-", end="\t")
        show(caller, figures)
print("total", stats.total_calls, stats.prim_calls, round(stats.total_tt * 1e6), sep="\t")

text = io.StringIO()
printed = pstats.Stats(path, stream=text)
printed.sort_stats("cumulative").print_stats()
printed.print_callers()
printed.print_callees()
printed.strip_dirs().sort_stats("tottime").print_stats()
assert "function calls" in text.getvalue()
# Files of several runs are added up.
before = stats.total_calls
stats.add(path)
assert stats.total_calls == 2 * before
