# Sleeps on lines of their own, and says by the program's own clock how long each took.
import time


def rest():
    for _ in range(5):
        time.sleep(0.04)  # line 7


def nap(seconds):
    time.sleep(seconds)  # line 11


def measured(what, *arguments):
    began = time.perf_counter()
    what(*arguments)
    return round((time.perf_counter() - began) * 1e9)


print("rest_ns", measured(rest))
print("nap_ns", measured(nap, 0.15))
