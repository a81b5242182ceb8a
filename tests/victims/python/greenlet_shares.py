"""Greenlets that burn 60, 30 and 10 % of the CPU time in turns, and allocate in each.

usage: greenlet_shares.py WITH SECONDS    WITH: greenlet, gevent or eventlet
Prints the facts "us_NAME N" (CPU time that was burnt in the greenlet that began with that function, in microseconds).
"""
import sys

from burning import burn, burnt

ROUNDS = 20
kept = []


def work(name, seconds):
    for _ in range(ROUNDS):
        burn(name, seconds / ROUNDS)
        kept.append(bytearray(3000))
        pause()


def heavy():
    work("heavy", 0.6 * seconds)


def middle():
    work("middle", 0.3 * seconds)


def light():
    work("light", 0.1 * seconds)


def with_greenlet(functions):
    global pause
    import greenlet
    pause = greenlet.getcurrent().switch
    waiting = [greenlet.greenlet(function) for function in functions]
    while waiting:
        for one in waiting:
            one.switch()
        waiting = [one for one in waiting if not one.dead]


def with_gevent(functions):
    global pause
    import gevent
    pause = lambda: gevent.sleep(0)
    gevent.joinall([gevent.spawn(function) for function in functions])


def with_eventlet(functions):
    global pause
    import eventlet
    pause = lambda: eventlet.sleep(0)
    for one in [eventlet.spawn(function) for function in functions]:
        one.wait()


way, seconds = sys.argv[1], float(sys.argv[2])
{"greenlet": with_greenlet, "gevent": with_gevent, "eventlet": with_eventlet}[way]((heavy, middle, light))
for name, spent in sorted(burnt.items()):
    print("us_" + name, int(spent * 1e6))
