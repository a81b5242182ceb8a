"""Line triage: sorts the status lines of a fleet of devices, each of which has a
dialect of its own, and raises alerts for those that run hot for some time.

What is wrong: Device keeps its dialect as a string and calls re.match with it.
There are 640 devices, polled in turn; the cache of module re holds 512 patterns,
so that each call finds its pattern gone and compiles it anew.
First screen should say: most of the time goes to compiling regular expressions
(re._compile / sre_compile) from Device.read, line marked FAULT: same patterns
compiled again and again (35840 times for 640 patterns).
Mend: self.dialect = re.compile(...) in Device.__init__, self.dialect.match(line).
"""
import random
import re
import time
from collections import Counter, deque

DEVICES = 640
ROUNDS = 56

UNITS = ["C", "F", "K"]
SEPARATORS = [":", "=", " is ", "->"]


class Device:
    def __init__(self, number):
        self.name = f"dev{number:04d}"
        self.unit = UNITS[number % 3]
        self.separator = SEPARATORS[number % 4]
        self.dialect = (r"\[" + self.name + r"\] (?P<state>\w+)" + re.escape(self.separator)
                        + r"(?P<value>\d+\.\d+)" + self.unit + r"( load=(?P<load>\d+))?")
        self.recent = deque(maxlen=64)

    def read(self, line):
        """State, temperature in Celsius and load; None for a foreign line."""
        found = re.match(self.dialect, line)  # FAULT regular-expressions
        if found is None:
            return None
        value = float(found["value"])
        if self.unit == "F":
            value = (value - 32.0) / 1.8
        elif self.unit == "K":
            value -= 273.15
        return found["state"], value, int(found["load"] or 0)

    def write(self, rng):
        celsius = rng.gauss(55.0, 12.0)
        value = {"C": celsius, "F": celsius * 1.8 + 32.0, "K": celsius + 273.15}[self.unit]
        state = "hot" if celsius > 70 else "warm" if celsius > 50 else "cool"
        load = f" load={rng.randint(0, 99)}" if rng.random() < 0.6 else ""
        return f"[{self.name}] {state}{self.separator}{max(value, 0.1):.2f}{self.unit}{load}"


class Triage:
    def __init__(self, devices):
        self.devices = devices
        self.states = Counter()
        self.alerts = []
        self.reading = 0.0

    def take(self, turn, device, line):
        began = time.perf_counter()
        reading = device.read(line)
        self.reading += time.perf_counter() - began
        if reading is None:
            self.states["foreign"] += 1
            return
        state, celsius, load = reading
        self.states[state] += 1
        device.recent.append((celsius, load))
        risk = self.risk(device)
        if risk > 1.0:
            self.alerts.append((turn, device.name, round(risk, 3)))

    def risk(self, device):
        """Weighted heat of the last readings, and its wobble by resampling."""
        readings = list(device.recent)
        weight = total = 0.0
        for age, (celsius, load) in enumerate(reversed(readings)):
            w = 0.97 ** age
            weight += w
            total += w * (celsius + 0.05 * load)
        mean = total / weight
        wobble = 0.0
        for step in range(1, 24):
            sample = [readings[(i * step) % len(readings)][0] for i in range(12)]
            wobble = max(wobble, max(sample) - min(sample))
        return mean / 70.0 + wobble / 400.0


def main():
    rng = random.Random(21)
    devices = [Device(number) for number in range(DEVICES)]
    triage = Triage(devices)
    for turn in range(ROUNDS):
        for device in devices:
            triage.take(turn, device, device.write(rng))
    worst = max(triage.alerts, key=lambda alert: alert[2]) if triage.alerts else None
    print(f"{dict(triage.states)}, {len(triage.alerts)} alerts, worst {worst}")
    print(f"truth {max(0.0, triage.reading - 2.3e-6 * DEVICES * ROUNDS):.3f}")


if __name__ == "__main__":
    main()
