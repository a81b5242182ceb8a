"""Burns CPU time in functions that call each other without C between them, below a function that C calls.

usage: nested.py SECONDS
Every instant of it stands in inner or leaf, below key, which map() calls for outer.
"""
import sys
import time


def leaf():
    pass


def inner():
    for _ in range(20000):
        leaf()


def key(value):
    inner()
    return value


def outer(end):
    while time.process_time() < end:
        list(map(key, [1]))


outer(time.process_time() + float(sys.argv[1]))
