"""Operators where control does not go straight. Each kind of place has operators that nothing else calls, so that their
calls can be foretold; what was computed is printed.

usage: torch_flow.py threads|scripts|failures|reentrant|processes    needs torch
"""
import sys
import threading

import torch
import torch.multiprocessing as multiprocessing
from torch.profiler import record_function
from torch.utils.checkpoint import checkpoint


def leaf(value=0.5, size=4):
    return torch.full((size,), value, requires_grad=True)


def in_threads(function, count):
    threads = [threading.Thread(target=function, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def threads():
    """As torch.nn.DataParallel: forward in a thread for each replica, backward of all in one; then both in each thread."""
    x, outputs = leaf(), [None] * 4

    def forward(number):
        for _ in range(20):
            outputs[number] = (x * number).asinh()

    def train(number):
        mine = leaf()
        for _ in range(20):
            mine.atan().sum().backward()
        outputs[number] = mine.grad

    in_threads(forward, 4)
    sum(outputs).sum().backward()
    print(x.grad.tolist())
    in_threads(train, 4)
    print([output.tolist() for output in outputs])


@torch.jit.script
def part(x: torch.Tensor) -> torch.Tensor:
    for _ in range(5):
        x = torch.acosh(x + 2.0)
    return x


@torch.jit.script
def forking(x: torch.Tensor) -> torch.Tensor:
    parts = [torch.jit.fork(part, x) for _ in range(6)]
    for one in parts:
        x = x + torch.jit.wait(one)
    return x


@torch.jit.script
def refusing(x: torch.Tensor) -> torch.Tensor:
    y = torch.expm1(x)
    if bool(y.sum() > 0.0):
        raise ValueError("refused")
    return y


def traced(x):
    return x.atanh()


def scripts():
    for _ in range(3):
        print(forking(torch.ones(4)).tolist())
    for _ in range(4):
        try:
            refusing(torch.ones(4))
        except Exception as error:
            print(type(error).__name__)
    function = torch.jit.trace(traced, torch.zeros(4), check_trace=False)
    for _ in range(7):
        x = leaf()
        function(x).sum().backward()
    print(x.grad.tolist())


class Refuses(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        gradient.sinc()
        raise ValueError("refused")


def held(name):
    with record_function(name):
        yield
        yield


def failures():
    for number in range(5):
        try:
            with record_function(f"failing#{number}"):
                Refuses.apply(leaf().expm1()).sum().backward()
        except ValueError as error:
            print(error)
    first, second = held("first"), held("second")
    for scope in (first, second, first, second):
        next(scope)
    first.close()
    with record_function("between"):
        torch.ones(4).erfc()
    second.close()
    with record_function("after"):
        torch.ones(4).log1p()
    crossing = held("crossing")
    next(crossing)
    torch.ones(4).frac()
    in_threads(lambda number: crossing.close(), 1)
    torch.ones(4).trunc()


class Reenters(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        gradient.lgamma()
        if ctx.depth > 1:
            with torch.enable_grad():
                Reenters.apply(leaf(), ctx.depth - 1).sum().backward()
        return gradient, None


def reentrant():
    for _ in range(10):
        x = leaf()
        checkpoint(lambda y: y.erfc(), x).sum().backward()
    print(x.grad.tolist())
    x = leaf()
    Reenters.apply(x, 100).sum().backward()  # below sixty levels PyTorch goes on in another thread
    print(x.grad.tolist())


def child(number, results):
    torch.set_num_threads(1)
    x = leaf(0.5 + number)
    for _ in range(10):
        x.digamma().sum().backward()
    results[number] = x.grad


def processes():
    torch.set_num_threads(1)
    results = torch.zeros(4, 4).share_memory_()
    for first, method in ((0, "fork"), (2, "spawn")):
        context = multiprocessing.get_context(method)
        children = [context.Process(target=child, args=(number, results)) for number in range(first, first + 2)]
        for one in children:
            one.start()
        for one in children:
            one.join()
    print(results.tolist())


if __name__ == "__main__":
    torch.set_num_threads(1)
    {f.__name__: f for f in (threads, scripts, failures, reentrant, processes)}[sys.argv[1]]()
