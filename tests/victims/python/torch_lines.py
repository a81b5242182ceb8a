"""Operators on lines that are known by a mark, and their backward functions, which run elsewhere.

A comment "# NAME" at the end of a line marks it.
"""
import threading

import torch
from torch.profiler import record_function
from torch.utils.checkpoint import checkpoint


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient.erf()  # inside backward


def in_thread(results, x):
    results.append(x.atan())  # thread


def main():
    x = torch.ones(4, requires_grad=True)
    for _ in range(6):
        (x * 2).sum().backward()  # first ones
    y = x.sin()  # sin
    z = x.cos()  # cos
    plain = torch.ones(4).cos()  # without gradient
    z = z.tanh()  # tanh
    with record_function("scope"):
        z = z.exp()  # exp in a scope
    with record_function("backward scope"):
        (y + z).sum().backward(retain_graph=True)  # backward
        (y + z).sum().backward()
    Twice.apply(x).sum().backward()
    results = []
    thread = threading.Thread(target=in_thread, args=(results, x))
    thread.start()
    thread.join()
    results[0].sum().backward()
    checkpoint(torch.sinh, x, use_reentrant=False).sum().backward()
    gradient = torch.autograd.grad(x.log().sum(), x, create_graph=True)[0]  # log
    gradient.sum().backward()
    del plain


main()
