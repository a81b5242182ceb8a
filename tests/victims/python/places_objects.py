"""Places to allocate at: classes and their methods, functions that C calls, code made from text, modules."""
import ctypes
import enum
import functools
import gc
import itertools
import json
import os
import re
import sys
import tempfile
import weakref

from marks import held, mark
from places_flow import Context


class Meta(type):
    def __prepare__(*_):
        mark()
        return {}

    def __new__(meta, name, bases, space):
        mark()
        return type.__new__(meta, name, bases, dict(space))

    def __call__(cls, *arguments):
        mark()
        return type.__call__(cls, *arguments)


class Descriptor:
    def __set_name__(self, *_):
        mark()

    def __get__(self, *_):
        return mark()

    def __set__(self, *_):
        mark()


def classes():
    class Base(metaclass=Meta):
        field = Descriptor()

        def __init_subclass__(cls):
            mark()

        def __init__(self):
            self.field = 3
            mark()

        @property
        def prop(self):
            return mark()

        def __getattr__(self, name):
            return mark()

        def __getitem__(self, key):
            return mark()

        def __add__(self, other):
            return mark()

        def __eq__(self, other):
            return mark() == other

        def __hash__(self):
            return mark()

        def __len__(self):
            return mark()

        def __iter__(self):
            return self

        def __next__(self):
            mark()
            raise StopIteration

        def __call__(self):
            return mark()

        def __str__(self):
            return str(mark())

        def __del__(self):
            mark()

    class Derived(Base):
        mark()

        def __init__(self):
            super().__init__()

        @classmethod
        def made(cls):
            mark()
            return cls()

        @staticmethod
        def still():
            mark()

    thing = Derived.made()
    thing.still()
    thing.prop, thing.field, thing.absent, thing[1], thing + 1, thing == 2, hash(thing), len(thing), list(thing)
    thing()
    (str(thing), "%s" % thing, f"{thing}")
    bool(thing), {thing: 1}
    Derived.field
    del thing

    class Colour(enum.Enum):
        RED = mark()

    class Cycle:
        def __del__(self):
            mark()

    cycle = Cycle()
    cycle.self = cycle
    del cycle
    gc.collect()
    target = Context()
    reference = weakref.ref(target, mark)
    del target
    return reference


def from_c():
    sorted([3, 1, 2], key=lambda v: v + mark())
    sorted([3, 1, 2], key=functools.cmp_to_key(
        lambda a, b: a - b + 0 * mark()))
    functools.reduce(lambda a, b: a + b + mark(), [1, 2, 3])
    re.sub("a", lambda match: str(
        mark()), "banana")
    list(map(mark, [1, 2]))
    list(map(lambda v: mark(v), filter(mark, [1, 2])))
    max([1, 2], key=mark)
    list(itertools.takewhile(lambda v: mark() and v < 2, itertools.count()))
    list(itertools.starmap(mark, [(1, 2)]))
    json.dumps({1: Context}, default=lambda v: mark())
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(
        lambda a, b: a[0] - b[0] + 0 * mark())
    numbers = (ctypes.c_int * 3)(3, 1, 2)
    ctypes.CDLL(None).qsort(numbers, 3, ctypes.sizeof(ctypes.c_int), compare)
    type("Made", (), {"__call__": lambda self: mark()})()()


def texts():
    exec("mark()\nheld()", globals())
    exec(compile("\n\n\nif 1:\n  mark(\n    1)\n", "made-up <file>.py", "exec"), globals())
    eval("mark() + mark()")
    eval(compile("[mark()\n for _ in\n 'ab']", "<eval’d>", "eval"), globals())
    # Line tables with large steps: forwards, backwards, and code far longer than one of their entries can say.
    far = "def far():\n  mark()\n" + "\n" * 700 + "  mark(\n" + "\n" * 300 + "  mark())\n  held()\nfar()\n"
    exec(compile(far, "far.py", "exec"), globals())
    wide = "def wide():\n  mark()\n  x = [" + ",".join(f"{n}, abs({n})" for n in range(400)) + ",\n mark()]\n  mark()\nwide()\n"
    exec(compile(wide, "wide.py", "exec"), globals())
    many = "def many():\n" + "".join(f"  x = {n}\n  mark() if {n} % 100 == 0 else 0\n" for n in range(1000)) + "many()\n"
    exec(compile(many, "many.py", "exec"), globals())
    if sys.version_info >= (3, 10):
        exec("match mark():\n case 1 if mark():\n  mark()\n case _:\n  pass\n", globals())
    if sys.version_info >= (3, 11):
        exec("try:\n raise ExceptionGroup('', [ValueError()])\nexcept* ValueError:\n mark()\nfinally:\n mark()\n", globals())
    if sys.version_info >= (3, 12):
        exec("def generic[T: mark()](x: T = mark()) -> T:\n return mark()\ngeneric()\n", globals())


def modules():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "imported_ünïcode.py"), "w", encoding="utf-8") as module:
            module.write("from marks import mark\nmark()\ndef später():\n    mark()\n")
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        import imported_ünïcode
        imported_ünïcode.später()
        sys.path.remove(folder)
