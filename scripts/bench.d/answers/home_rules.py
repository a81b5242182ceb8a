"""Runs the rules of a house: each reading of a sensor goes to the rules, which name what they want to know of it.

What is wrong: for each call the house works out by inspect.signature() which arguments the rule takes; the rules are the
same few functions all the time.
First screen should say: signatures of functions are worked out again and again, at the line in House.call.
Mend: work it out where the rule is added.
"""
import inspect
import math
import random
import time

spent = 0.0


class House:
    def __init__(self):
        self.rules = []
        self.said = {}

    def rule(self, function):
        self.rules.append(function)
        return function

    def call(self, rule, reading):
        global spent
        began = time.perf_counter()
        wanted = list(inspect.signature(rule).parameters)  # FAULT signatures
        spent += time.perf_counter() - began
        said = rule(**{name: reading[name] for name in wanted})
        if said:
            self.said[said] = self.said.get(said, 0) + 1

    def take(self, reading):
        for rule in self.rules:
            self.call(rule, reading)


house = House()


@house.rule
def heating(room, degrees, hour):
    if room != "cellar" and degrees < (19 if 6 <= hour < 22 else 16):
        return "heat " + room


@house.rule
def window(room, degrees, humidity):
    dew = degrees - (100 - humidity) / 5
    return "air " + room if dew > 16 else None


@house.rule
def light(room, lux, hour):
    wanted = 150 * math.exp(-((hour - 20) ** 2) / 18)
    return "light " + room if lux < wanted else None


def readings(count):
    draw = random.Random(19)
    rooms = ["kitchen", "bath", "cellar", "study"]
    for number in range(count):
        hour = number / 60 % 24
        yield {
            "room": draw.choice(rooms),
            "degrees": draw.gauss(19, 2),
            "humidity": draw.uniform(35, 95),
            "lux": draw.expovariate(1 / 120),
            "hour": hour,
        }


def main():
    for reading in readings(40_000):
        house.take(reading)
    print("said", sorted(house.said.items()))
    print("truth %.3f" % spent)


main()
