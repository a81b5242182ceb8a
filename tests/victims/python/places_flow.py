"""Places to allocate at: calls, generators, comprehensions, decorators, blocks, exceptions, recursion."""
import contextlib
import functools

from marks import held, mark


def plain():
    mark()
    held()


def several_lines():
    return max(
        1,
        mark(),
        min(
            2,
            mark()
            + mark(),
        ),
        *[
            mark(),
            3,
        ],
        key=lambda value:
        mark(value)
        + value,
    )


def generator():
    yield mark()
    received = yield from inner_generator()
    try:
        yield mark()
    except ValueError:
        mark()
        yield received
    finally:
        mark()


def inner_generator():
    for value in range(2):
        yield mark() + value
    return 7


def drive_generators():
    g = generator()
    for _ in range(4):
        next(g)
    g.throw(ValueError())
    g.close()
    sum(
        mark()
        for _ in range(2)
    )
    list(generator())


def comprehensions():
    [mark() for _ in range(2)]
    {mark() for _ in range(2)}
    {
        mark(): held()
        for _ in range(1)
        if mark()
    }
    [
        [mark() for _ in range(1)]
        for _ in [mark()]
    ]


def decorated():
    @functools.lru_cache(
        maxsize=mark()
    )
    def cached(value=mark()):
        return mark(value)

    def twice(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            function(*arguments)
            return function(
                *arguments)
        mark()
        return wrapper

    @twice
    @twice
    def wrapped(*_):
        mark()

    cached()
    wrapped()
    functools.partial(mark, 1)()
    functools.partial(wrapped, 2)()


class Context:
    mark()

    def __enter__(self):
        mark()

    def __exit__(self, *_):
        mark()
        return True


@contextlib.contextmanager
def by_generator():
    mark()
    try:
        yield
    finally:
        mark()


def raising(depth):
    if depth:
        raising(depth - 1)
    mark()
    raise KeyError(depth)


def blocks():
    with Context(), \
            by_generator(), \
            Context():
        mark()
        raise ValueError
    try:
        raising(3)
    except (KeyError,
            ValueError) as error:
        held(error)
    else:
        pass
    finally:
        mark()
    for value in range(2):
        if value:
            continue
        while mark() and value < 1:
            value += mark()
        else:
            mark()
    try:
        try:
            raising(0)
        finally:
            mark()
    except KeyError:
        mark()
    assert not mark() - 1, (
        mark())
    text = f"{mark()} {mark():>{mark()}}"
    return text


def recursion(depth):
    if depth == 0:
        return mark()
    if depth % 3:
        return recursion(depth - 1)
    return [recursion, None][0](
        depth - 1)
