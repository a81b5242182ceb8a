"""Bills a year of metered consumption by a tariff with steps, for all customers of a small town.

What is wrong: the tariff is a Python method put through np.vectorize, which calls it for every single reading.
First screen should say: most of the time is in Python code of Tariff.price, called for each element by numpy.vectorize in
Billing.month: a loop in Python, not array arithmetic.
Mend: write the steps with np.select over whole arrays.
"""
import time

import numpy as np

CUSTOMERS = 2000
HOURS = 24 * 30
MONTHS = 12


class Tariff:
    def __init__(self, base, night, peak, limit):
        self.base = base
        self.night = night
        self.peak = peak
        self.limit = limit

    def price(self, hour, amount):
        if hour < 6:
            return amount * self.night
        if amount > self.limit:
            return self.limit * self.base + (amount - self.limit) * self.peak
        return amount * self.base

    def prices(self, hour, amount):
        return np.vectorize(self.price, otypes=[float])(hour, amount)  # FAULT vectorize


class Billing:
    def __init__(self, tariff):
        self.tariff = tariff
        self.bills = np.zeros(CUSTOMERS)
        self.spent = 0.0

    def month(self, amounts):
        hours = np.broadcast_to(np.arange(HOURS) % 24, amounts.shape)
        began = time.perf_counter()
        prices = self.tariff.prices(hours, amounts)
        self.spent += time.perf_counter() - began - self.array_cost(hours, amounts)
        self.bills += prices.sum(axis=1)

    def array_cost(self, hours, amounts, share=20):
        """What array arithmetic would take for this, from a twentieth of it."""
        tariff, hours, amounts = self.tariff, hours[::share], amounts[::share]
        began = time.perf_counter()
        above = tariff.limit * tariff.base + (amounts - tariff.limit) * tariff.peak
        np.select([hours < 6, amounts > tariff.limit], [amounts * tariff.night, above], amounts * tariff.base)
        return (time.perf_counter() - began) * share


def consumption(month):
    draw = np.random.default_rng(month)
    season = 1 + 0.5 * np.cos(month / 12 * 2 * np.pi)
    day = 0.4 + 0.3 * np.sin(np.arange(HOURS) % 24 / 24 * 2 * np.pi - 2)
    size = draw.gamma(2.0, 0.5, (CUSTOMERS, 1))
    return size * day * season * draw.uniform(0.5, 1.5, (CUSTOMERS, HOURS))


def main():
    billing = Billing(Tariff(base=0.31, night=0.19, peak=0.44, limit=1.2))
    for month in range(MONTHS):
        billing.month(consumption(month))
    bills = np.sort(billing.bills)
    print("customers", len(bills), "sum %.2f" % bills.sum())
    print("lowest %.2f median %.2f highest %.2f" % (bills[0], np.median(bills), bills[-1]))
    print("truth %.3f" % billing.spent)


main()
