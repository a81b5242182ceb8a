"""Settles a day of a bookkeeping ledger; each posting is marked with the function that made it.

What is wrong: the decorator asks inspect.stack() for the name of the caller at every posting; that collects all frames of
the stack with their source lines (searching modules and files) to use only one name.
First screen should say: the time goes to inspect.stack called by the decorator "audited" at each posting (getframeinfo,
findsource, getmodule), not to the bookkeeping itself.
Mend: sys._getframe(1).f_code.co_name.
"""
import functools
import inspect
import random
import sys
import time

spent = 0.0


def audited(method):
    @functools.wraps(method)
    def wrapper(self, *arguments):
        global spent
        began = time.perf_counter()
        caller = inspect.stack()[1].function  # FAULT tracebacks
        spent += time.perf_counter() - began
        self.trail[caller] = self.trail.get(caller, 0) + 1
        return method(self, *arguments)

    return wrapper


class Ledger:
    def __init__(self, accounts):
        self.balance = dict.fromkeys(range(accounts), 0)
        self.trail = {}

    @audited
    def post(self, account, cents):
        self.balance[account] += cents

    def transfer(self, source, target, cents):
        self.post(source, -cents)
        self.post(target, cents)

    def fee(self, account, cents):
        self.post(account, -cents)


class Settlement:
    def __init__(self, ledger, orders):
        self.ledger = ledger
        self.orders = orders

    def run(self):
        for kind, orders in sorted(self.by_kind().items()):
            getattr(self, "settle_" + kind)(orders)

    def by_kind(self):
        kinds = {}
        for order in self.orders:
            kinds.setdefault(order["kind"], []).append(order)
        return kinds

    def settle_payment(self, orders):
        for order in orders:
            self.ledger.transfer(order["from"], order["to"], order["cents"])

    def settle_service(self, orders):
        for order in orders:
            self.ledger.fee(order["from"], 25 + order["cents"] // 1000)


def make_orders(count):
    draw = random.Random(11)
    orders = []
    for _ in range(count):
        source, target = draw.sample(range(500), 2)
        kind = "service" if draw.random() < 0.2 else "payment"
        orders.append({"kind": kind, "from": source, "to": target, "cents": draw.randrange(100, 90000)})
    return orders


def main():
    ledger = Ledger(500)
    Settlement(ledger, make_orders(18000)).run()
    print("trail", sorted(ledger.trail.items()))
    print("lowest", min(ledger.balance.values()), "highest", max(ledger.balance.values()))
    print("sum", sum(ledger.balance.values()))
    print("truth %.3f" % spent)


if __name__ == "__main__":
    sys.exit(main())
