"""Greenlets that switch away at all depths, out of Python functions that C functions call, in several threads."""

import functools
import json
import random
import re
import sys
import threading

import greenlet


def deeper(n, parent, choose):
    """Comes to `n` levels by ways that put runs of the interpreter's loop and of C code on the stack in turns."""
    if n == 0:
        block = bytes(3000)
        parent.switch(len(block))
        return 1
    go_on = lambda *_: deeper(n - 1, parent, choose)
    way = choose.randrange(6)
    if way == 0:
        sorted([n], key=go_on)
    elif way == 1:
        list(map(go_on, [1]))
    elif way == 2:
        functools.reduce(go_on, [1, 2])
    elif way == 3:
        re.sub("a", lambda _: str(go_on()), "a")
    elif way == 4:
        json.dumps(object(), default=go_on)
    else:
        go_on()
    return 1


def body(seed, rounds):
    choose = random.Random(seed)
    for _ in range(rounds):
        deeper(choose.randrange(1, 25), greenlet.getcurrent().parent, choose)
    return rounds


def run(seed, many, rounds, done):
    alive = [greenlet.greenlet(body) for _ in range(many)]
    for i, g in enumerate(alive):
        g.switch(seed + i, rounds)
    while alive:
        for g in alive:
            result = g.switch()
            if g.dead:
                done.append(result)
        alive = [g for g in alive if not g.dead]


def main():
    many, rounds = int(sys.argv[1]), int(sys.argv[2])
    done = []
    threads = [threading.Thread(target=run, args=(100 * i, many, rounds, done)) for i in range(2)]
    for t in threads:
        t.start()
    run(1000, many, rounds, done)
    for t in threads:
        t.join()
    print(len(done), sum(done))


main()
