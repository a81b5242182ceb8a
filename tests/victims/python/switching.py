"""Keeps greenlets busy that hand one another work through queues, from shallow stacks and from deep ones with C functions
in between.

usage: switching.py WITH SECONDS    WITH: greenlet, gevent or eventlet
Burns about SECONDS of CPU time. It judges its own results; what it prints does not depend on how long it ran.
"""
import collections
import functools
import sys
import time
import warnings

warnings.simplefilter("ignore")
MAKERS, TAKERS, EACH = 3, 5, 200


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def deep(n, at_end):
    return at_end() if n == 0 else functools.reduce(lambda _, below: deep(below, at_end), [0, n - 1])


def make(put):
    for number in range(EACH):
        if number % 5:
            put(number)
        else:
            deep(number % 13, lambda: put(number))


def take(get):
    found = 0
    while get() is not None:
        found += fib(9)
    return found


def with_greenlet():
    import greenlet
    places, ready = collections.deque(), collections.deque()
    waiting, answers = collections.deque(), []
    hub = greenlet.getcurrent()

    def put(value):
        places.append(value)
        if waiting:
            ready.append(waiting.popleft())
        ready.append(greenlet.getcurrent())
        hub.switch()

    def get():
        while not places:
            waiting.append(greenlet.getcurrent())
            hub.switch()
        return places.popleft()

    def run_ready():
        while ready:
            ready.popleft().switch()

    takers = [greenlet.greenlet(lambda: answers.append(take(get))) for _ in range(TAKERS)]
    ready.extend(takers)
    ready.extend(greenlet.greenlet(lambda: make(put)) for _ in range(MAKERS))
    run_ready()
    places.extend([None] * TAKERS)
    ready.extend(waiting)
    waiting.clear()
    run_ready()
    return answers


def with_gevent():
    import gevent
    import gevent.queue
    queue = gevent.queue.Queue(20)
    takers = [gevent.spawn(take, queue.get) for _ in range(TAKERS)]
    gevent.joinall([gevent.spawn(make, queue.put) for _ in range(MAKERS)])
    for _ in takers:
        queue.put(None)
    gevent.joinall(takers)
    return [taker.value for taker in takers]


def with_eventlet():
    import eventlet
    import eventlet.queue
    queue = eventlet.queue.Queue(20)
    takers = [eventlet.spawn(take, queue.get) for _ in range(TAKERS)]
    for maker in [eventlet.spawn(make, queue.put) for _ in range(MAKERS)]:
        maker.wait()
    for _ in takers:
        queue.put(None)
    return [taker.wait() for taker in takers]


if __name__ == "__main__":
    way = {"greenlet": with_greenlet, "gevent": with_gevent, "eventlet": with_eventlet}[sys.argv[1]]
    end = time.process_time() + float(sys.argv[2])
    while True:
        total = sum(way())
        if total != MAKERS * EACH * fib(9):
            raise SystemExit(f"{total} instead of {MAKERS * EACH * fib(9)}")
        if time.process_time() >= end:
            break
    print(sys.argv[1], "done")
    sys.exit(3)
