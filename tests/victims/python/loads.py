"""Keeps an interpreter busy in one of the ways in which programs use it.

usage: loads.py LOAD SECONDS
Burns about SECONDS of CPU time (fork: that makes more of them). Each load judges its own results; what it prints does not depend on how long it ran.
"""
import asyncio
import concurrent.futures
import functools
import itertools
import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
import _thread


def rounds(seconds):
    end = time.process_time() + seconds
    yield 0
    for number in itertools.count(1):
        if time.process_time() >= end:
            return
        yield number


def expect(got, wanted):
    if got != wanted:
        raise SystemExit(f"{got!r} instead of {wanted!r}")


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def through_c(n):
    return 0 if n == 0 else functools.reduce(lambda _, below: 1 + through_c(below), [0, n - 1])


class Shape:
    __slots__ = ("side",)

    def __init__(self, side):
        self.side = side

    @property
    def area(self):
        return self.side ** 2

    def __lt__(self, other):
        return self.area < other.area

    def __getattr__(self, name):
        raise AttributeError(name)


def fail(depth):
    if depth:
        try:
            fail(depth - 1)
        finally:
            depth += 1
    raise KeyError(depth)


def mixed():
    expect(fib(12), 144)
    expect(deep(80), 80)
    expect(min(map(Shape, (3, 1, 2))).side, 1)
    expect(hasattr(Shape(1), "absent"), False)
    expect(functools.reduce(lambda a, b: a + b, range(50)), 1225)
    expect(re.sub("[aeiou]", lambda m: m.group().upper(), "interpreter"), "IntErprEtEr")
    expect(through_c(20), 20)
    try:
        fail(8)
    except KeyError as error:
        expect(error.args, (0,))


def pure(seconds):
    for _ in rounds(seconds):
        mixed()


def threaded(seconds):
    problems = []
    stop = threading.Event()

    def guarded(work):
        try:
            while not stop.is_set():
                work()
        except BaseException as error:
            problems.append(error)

    def churn():
        # Threads that end at once, named and nameless ones: their thread states come and go.
        short = [threading.Thread(target=fib, args=(8,), name=f"short {n}") for n in range(4)]
        for thread in short:
            thread.start()
        done = _thread.allocate_lock()
        done.acquire()
        _thread.start_new_thread(lambda: done.release(), ())
        for thread in short:
            thread.join()
        done.acquire()

    def pooled():
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            expect(list(pool.map(fib, [5, 6, 7])), [5, 8, 13])

    threads = [threading.Thread(target=guarded, args=(work,), name=f"does {work.__name__}")
               for work in (mixed, mixed, churn, pooled)]
    for thread in threads:
        thread.start()
    time.sleep(0.02)
    for _ in rounds(seconds):
        time.sleep(0.005)
    stop.set()
    for thread in threads:
        thread.join()
    expect(problems, [])


def walk_tree(depth):
    yield depth
    if depth:
        yield from walk_tree(depth - 1)
        for value in walk_tree(depth - 1):
            yield value


def echo():
    got = None
    while True:
        try:
            got = yield got
        except ValueError as error:
            got = error


def generators(seconds):
    for _ in rounds(seconds):
        expect(sum(walk_tree(7)), 247)
        expect(sum(x * y for x in range(20) for y in (z for z in range(x))), 16815)
        speaker = echo()
        next(speaker)
        expect([speaker.send(n) for n in range(20)], list(range(20)))
        expect(type(speaker.throw(ValueError())), ValueError)
        speaker.close()
        expect(len(list(zip(walk_tree(6), itertools.islice(walk_tree(9), 50)))), 50)


async def nested(depth):
    if depth:
        return await nested(depth - 1) + 1
    await asyncio.sleep(0)
    return 0


async def produce(queue, count):
    for n in range(count):
        await queue.put(n)
        fib(6)
    await queue.put(None)


async def ticker(count):
    for n in range(count):
        await asyncio.sleep(0)
        yield n


async def one_round():
    queue = asyncio.Queue(3)
    producer = asyncio.ensure_future(produce(queue, 30))
    total = 0
    while True:
        item = await queue.get()
        if item is None:
            break
        total += item
    await producer
    expect(total, 435)
    expect(await asyncio.gather(*(nested(n) for n in range(12))), list(range(12)))
    expect([n async for n in ticker(20)], list(range(20)))
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.0001)
    except asyncio.TimeoutError:
        pass
    expect(await asyncio.get_event_loop().run_in_executor(None, fib, 9), 34)


def coroutines(seconds):
    async def main():
        for _ in rounds(seconds):
            await one_round()
    asyncio.run(main())


def churn_code(seconds):
    # Code objects that live for a moment: the next one is made where the one before was.
    for number in rounds(seconds):
        for turn in range(20):
            name = f"made_{(number * 20 + turn) % 50}"
            space = {}
            exec(f"def {name}(n):\n" + "\n" * (turn % 7) + f"  return n if n < 2 else {name}(n - 1) + {name}(n - 2)\n", space)
            expect(space[name](5), 5)
            expect(eval(f"(lambda a: [b * a for b in range(a)])({turn})[-1:]"), [turn * (turn - 1)] if turn else [])
            type("Made", (), {"method": lambda self: space[name](3)})().method()


def forks(seconds):
    for _ in range(3 + int(20 * seconds)):
        pid = os.fork()
        if pid == 0:
            mixed()
            os._exit(7)
        expect(os.waitpid(pid, 0)[1], 7 << 8)
        mixed()
    expect(subprocess.run([sys.executable, "-c", "import sys; sys.exit(sum(range(10)))"]).returncode, 45)
    expect(subprocess.check_output(["sh", "-c", "echo shell"]), b"shell\n")
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            expect(pool.map(fib, [10, 11]), [55, 89])
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        expect(list(pool.map(fib, [10, 11])), [55, 89])

    # A fork in one thread while others run.
    stop = threading.Event()

    def spin():
        while not stop.is_set():
            fib(8)
    spinner = threading.Thread(target=spin)
    spinner.start()
    for _ in range(5):
        process = multiprocessing.get_context("fork").Process(target=mixed)
        process.start()
        process.join()
        expect(process.exitcode, 0)
    stop.set()
    spinner.join()


IN_ANOTHER = """
def inner(n):
    return n if n < 2 else inner(n - 1) + inner(n - 2)


def outer(values):
    return sum(map(inner, values))


assert outer([12, 13]) == 377, "wrong"
"""


def interpreters_module():
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            return __import__(name)
        except ImportError:
            pass
    raise SystemExit("no interpreters beside the first")


def interpreters(seconds):
    # Interpreters beside the first one, with a lock of their own where there is such a thing (3.12 on): one that this
    # thread switches to, and some that other threads make, use and drop.
    module = interpreters_module()
    own_lock = sys.version_info >= (3, 12)
    stop = threading.Event()
    problems = []

    def elsewhere():
        try:
            while not stop.is_set():
                made = module.create()
                for _ in range(20):
                    expect(module.run_string(made, IN_ANOTHER), None)
                module.destroy(made)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=elsewhere, name=f"interpreter {n}") for n in range(2 if own_lock else 0)]
    for thread in threads:
        thread.start()
    made = module.create()
    for _ in rounds(seconds):
        expect(module.run_string(made, IN_ANOTHER), None)
        mixed()
    module.destroy(made)
    stop.set()
    for thread in threads:
        thread.join()
    expect(problems, [])


LOADS = {"pure": pure, "threads": threaded, "generators": generators, "asyncio": coroutines, "exec": churn_code,
         "fork": forks, "interpreters": interpreters}

if __name__ == "__main__":
    LOADS[sys.argv[1]](float(sys.argv[2]))
    print(sys.argv[1], "done")
    sys.exit(3)
