"""Makes the invoices of a law firm: goes through the journal of a year and adds up what clients have to pay.

What is wrong: each entry is asked whether it is Billable, a runtime-checkable Protocol; the check looks for every member
of the Protocol in the entry, each time anew, though there are four types of entries.
First screen should say: isinstance() of a Protocol takes most of the time, at the line in Invoices.take.
Mend: an abstract base class that the types inherit from.
"""
import random
import time
from typing import Protocol, runtime_checkable

spent = 0.0


@runtime_checkable
class Billable(Protocol):
    def client(self): ...

    def cents(self): ...

    def text(self): ...


class Hours:
    def __init__(self, who, minutes):
        self.who, self.minutes = who, minutes

    def client(self):
        return self.who

    def cents(self):
        return self.minutes * 350

    def text(self):
        return "%d min" % self.minutes


class Copies:
    def __init__(self, who, pages):
        self.who, self.pages = who, pages

    def client(self):
        return self.who

    def cents(self):
        return self.pages * 15

    def text(self):
        return "%d pages" % self.pages


class Note:
    def __init__(self, words):
        self.words = words


class Holiday:
    def __init__(self, day):
        self.day = day


class Invoices:
    def __init__(self):
        self.sums = {}
        self.lines = 0
        self.kept = 0

    def take(self, entry):
        global spent
        began = time.perf_counter()
        owed = isinstance(entry, Billable)  # FAULT protocol-checks
        spent += time.perf_counter() - began
        if not owed:
            self.kept += 1
            return
        self.sums[entry.client()] = self.sums.get(entry.client(), 0) + entry.cents()
        self.lines += len(entry.text()) > 0


def journal(count):
    draw = random.Random(5)
    for number in range(count):
        kind = draw.random()
        if kind < 0.5:
            yield Hours(draw.randrange(300), draw.randrange(5, 240))
        elif kind < 0.8:
            yield Copies(draw.randrange(300), draw.randrange(1, 90))
        elif kind < 0.95:
            yield Note("call back %d" % number)
        else:
            yield Holiday(number % 365)


def main():
    invoices = Invoices()
    for entry in journal(400_000):
        invoices.take(entry)
    print("clients", len(invoices.sums), "lines", invoices.lines, "kept", invoices.kept)
    print("cents", sum(invoices.sums.values()))
    print("truth %.3f" % spent)


main()
