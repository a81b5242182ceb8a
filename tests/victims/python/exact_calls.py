"""Calls of every kind that an interpreter tells of, always the same ones.

usage: exact_calls.py work                       does them
       exact_calls.py idle                       does all but them
       exact_calls.py compare IDLE.prof WORK.prof
           does them under cProfile and compares its table with what the second file has beyond the first
"""
import collections
import collections.abc
import contextlib
import functools
import marshal
import re
import sys


def recurse(n):
    return 0 if n == 0 else 1 + recurse(n - 1)


def ping(n):
    return pong(n - 1) if n > 0 else 0


def pong(n):
    return ping(n - 1) if n > 0 else 0


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def count(n):
    for i in range(n):
        yield i


def delegate(n):
    result = yield from count(n)
    return result


def echo():
    value = None
    while True:
        try:
            value = yield value
        except KeyError:
            value = "thrown"


def generators():
    list(delegate(5))
    sum(i for i in count(4))
    abandoned = count(10)
    next(abandoned)
    del abandoned
    e = echo()
    next(e)
    e.send(1)
    e.throw(KeyError("x"))
    e.close()
    closed_unstarted = count(3)
    closed_unstarted.close()
    with contextlib.suppress(ValueError):
        g = count(2)
        next(g)
        g.throw(ValueError)
    for _ in zip(count(3), count(2)):
        pass


def raises(depth):
    if depth == 0:
        raise ValueError("deep")
    raises(depth - 1)


def exceptions():
    for depth in range(4):
        try:
            raises(depth)
        except ValueError:
            pass
    for bad in (lambda: {}.pop("x"), lambda: next(iter(())), lambda: getattr(1, "nothing"), lambda: "".join([1])):
        try:
            bad()
        except Exception:
            pass
    try:
        raise KeyError
    finally:
        return 1


class Base:
    made = 0

    def __init__(self, value):
        self.value = value
        Base.made += 1

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)

    @property
    def double(self):
        return 2 * self.value

    @classmethod
    def of(cls, value):
        return cls(value)

    @staticmethod
    def plain(value):
        return value

    def __iter__(self):
        return iter(range(self.value))

    def __call__(self):
        return self.value


class Derived(Base):
    def __init__(self, value):
        super().__init__(value)

    def __getattr__(self, name):
        return len(name)


class Appender(list):
    def append(self, value):
        super().append(value)
        list.append(self, value)


def objects():
    [].append(0)  # cProfile calls a C function what it was when it was first seen
    things = [Derived(i % 7) for i in range(20)]
    sorted(things)
    len(set(things))
    for thing in things:
        thing.double, thing.of(1), thing.plain(2), thing(), thing.missing
        list(thing)
    appender = Appender()
    for i in range(3):
        appender.append(i)
    append = [].append
    append(1)
    str.upper("a")
    "b".upper()
    object.__new__(Base)
    isinstance({}, collections.abc.Mapping)
    point = collections.namedtuple("point", "x y")
    point(1, 2)._replace(x=3)


def called_back():
    list(map(lambda x: x + 1, range(5)))
    list(filter(Base.plain, range(4)))
    sorted(range(6), key=lambda x: -x)
    functools.reduce(lambda a, b: a + b, range(5))
    functools.partial(recurse, 2)()
    re.compile("a+b" + str(recurse(1)))
    re.sub("x", lambda m: m.group(0), "xyx")


@functools.lru_cache(maxsize=None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)


@contextlib.contextmanager
def managed():
    yield 1


async def leaf(n):
    return n


async def awaits(n):
    return sum([await leaf(i) for i in range(n)])


def coroutines():
    c = awaits(5)
    try:
        c.send(None)
    except StopIteration:
        pass
    for _ in range(2):
        with managed():
            pass


def made_by_exec():
    for i in range(3):
        names = {}
        exec("def made(x):\n    return x + %d\n" % i, names)
        names["made"](1)
    eval("recurse(3)")


def stops(n):
    if n == 0:
        len(None)
    stops(n - 1)


def work():
    recurse(300)
    ping(20)
    fib(10)
    generators()
    exceptions()
    objects()
    called_back()
    cached(10)
    coroutines()
    made_by_exec()
    try:
        stops(40)
    except TypeError:
        pass


def twice():
    """Once with what is made and remembered on the way, once with all of that at hand."""
    work()
    work()


def without_addresses(name):
    return re.sub(" at 0x[0-9a-f]+", "", name)


def key_of(code):
    if isinstance(code, str):
        return ("~", 0, without_addresses(code))
    return (code.co_filename, code.co_firstlineno, code.co_name)


def table_of_cprofile(function):
    """{function: (calls, primitive calls, {caller: (calls, primitive calls)})}; equal names are one function."""
    import cProfile

    profile = cProfile.Profile()
    profile.runcall(function)
    table = {}
    for entry in profile.getstats():
        row = table.setdefault(key_of(entry.code), [0, 0, {}])
        row[0] += entry.callcount
        row[1] += entry.callcount - entry.reccallcount
    for entry in profile.getstats():
        for called in entry.calls or ():
            edge = table[key_of(called.code)][2].setdefault(key_of(entry.code), [0, 0])
            edge[0] += called.callcount
            edge[1] += called.callcount - called.reccallcount
    return table


def table_of_file(path):
    with open(path, "rb") as file:
        stats = marshal.load(file)
    return {
        key: [nc, cc, {caller: [edge[0], edge[1]] for caller, edge in callers.items()}]
        for key, (cc, nc, _, _, callers) in stats.items()
    }


def without(table, other):
    """What a table has beyond that of a run that did less."""
    rest = {}
    for key, (calls, primitive, callers) in table.items():
        less = other.get(key, [0, 0, {}])
        edges = {}
        for caller, edge in callers.items():
            before = less[2].get(caller, [0, 0])
            if edge != before:
                edges[caller] = [edge[0] - before[0], edge[1] - before[1]]
        if edges or calls != less[0]:
            rest[key] = [calls - less[0], primitive - less[1], edges]
    return rest


def compare(idle, working):
    table_of_cprofile(int)  # what cProfile itself imports
    expected = table_of_cprofile(twice)
    actual = without(table_of_file(working), table_of_file(idle))
    # Who calls the work, and that cProfile is switched off, is not part of it.
    root = key_of(twice.__code__)
    actual[root][2].clear()
    expected = {key: row for key, row in expected.items() if "_lsprof" not in key[2]}
    wrong = 0
    for key in sorted(set(expected) | set(actual)):
        if expected.get(key) != actual.get(key):
            print(key, "expected", expected.get(key), "seen", actual.get(key))
            wrong += 1
    print("functions", len(expected))
    print("calls", sum(row[0] for row in expected.values()))
    print("wrong", wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    re.compile("flags are made when they are first used")
    if sys.argv[1] == "compare":
        sys.exit(compare(*sys.argv[2:]))
    if sys.argv[1] == "work":
        twice()
