"""Validate records against a schema with inheritance (required slots, types, patterns) and export them.

What is wrong: SchemaView.induced_slots is an lru_cache'd method; the cache does hit, but for each look-up
it hashes its arguments, self among them, and SchemaView.__hash__ serialises the whole schema to JSON.

First screen should say: SchemaView.__hash__ (json.dumps of the whole schema, 42 kB), called by the lru_cache
of induced_slots at each of the 5,600 calls, takes about 1.6 s, far more than the method it saves; amount
as printed by `truth` (seconds in __hash__).

Mend: compute the hash once and keep it until the schema is modified.
"""
import functools
import hashlib
import json
import random
import re
import time
from datetime import date

CLASSES, OWN_SLOTS = 60, 7
PATTERNS = {"code": r"[A-Z]{3}-\d{4}", "date": r"\d{4}-\d\d-\d\d", "number": r"-?\d+(\.\d+)?", "text": r".{1,60}"}


class SchemaView:
    def __init__(self, classes):
        self.classes = classes
        self.hashing = 0.0

    def __hash__(self):
        started = time.perf_counter()
        value = hash(json.dumps(self.classes, sort_keys=True))  # FAULT json
        self.hashing += time.perf_counter() - started
        return value

    def __eq__(self, other):
        return isinstance(other, SchemaView) and self.classes == other.classes

    def set_parent(self, name, parent):
        self.classes[name]["is_a"] = parent

    def ancestors(self, name):
        chain = []
        while name is not None:
            chain.append(name)
            name = self.classes[name]["is_a"]
        return chain

    @functools.lru_cache(maxsize=None)
    def induced_slots(self, name):
        slots = {}
        for ancestor in reversed(self.ancestors(name)):
            for slot, rule in self.classes[ancestor]["slots"].items():
                slots[slot] = {**slots.get(slot, {}), **rule}
        return slots


class Validator:
    def __init__(self, view):
        self.view = view
        self.compiled = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}

    def problems(self, record, slots):
        for slot, rule in slots.items():
            value = record.get(slot)
            if value is None:
                if rule["required"]:
                    yield f"{slot} missing"
            elif not self.compiled[rule["range"]].fullmatch(value):
                yield f"{slot}: {value!r} is not a {rule['range']}"


class Exporter:
    """JSON lines with typed values and a check sum over all of them."""

    def __init__(self):
        self.seal = hashlib.sha256()
        self.number = 0

    def typed(self, kind, value):
        try:
            if kind == "date":
                return date.fromisoformat(value).toordinal()
            return float(value) if kind == "number" else " ".join(value.split()).capitalize()
        except ValueError:
            return None

    def write(self, record, slots):
        row = {slot: self.typed(rule["range"], record[slot]) for slot, rule in slots.items() if slot in record}
        line = json.dumps({"n": self.number, **row}, sort_keys=True, ensure_ascii=False)
        self.seal.update(line.encode())
        self.number += 1


def make_schema(rnd):
    classes = {}
    for n in range(CLASSES):
        slots = {f"slot_{n}_{k}": {"range": rnd.choice(list(PATTERNS)), "required": rnd.random() < 0.5,
                                   "description": f"Slot number {k} of class {n}"} for k in range(OWN_SLOTS)}
        classes[f"Class{n}"] = {"is_a": f"Class{n // 2}" if n else None, "slots": slots}
    return classes


def make_value(rnd, kind):
    if kind == "code":
        return "".join(rnd.choices("ABCDEF", k=3)) + f"-{rnd.randrange(10000):04d}"
    if kind == "date":
        return f"20{rnd.randrange(10, 24)}-{rnd.randrange(1, 13):02d}-{rnd.randrange(1, 29):02d}"
    return str(rnd.randrange(10**6)) if kind == "number" else "some text " * rnd.randrange(1, 8)


def make_records(rnd, view, count=5600):
    layout = {name: [(slot, rule) for ancestor in view.ancestors(name)
                     for slot, rule in view.classes[ancestor]["slots"].items()] for name in view.classes}
    for _ in range(count):
        name = rnd.choice(list(layout))
        record = {slot: make_value(rnd, rule["range"]) for slot, rule in layout[name] if rnd.random() < 0.97}
        yield {"@type": name, **record}


def main():
    rnd = random.Random(13)
    view = SchemaView(make_schema(rnd))
    view.set_parent("Class3", "Class0")
    validator, exporter = Validator(view), Exporter()
    bad = good = found = 0
    for record in make_records(rnd, view):
        slots = view.induced_slots(record["@type"])
        problems = list(validator.problems(record, slots))
        exporter.write(record, slots)
        found += len(problems)
        bad += bool(problems)
        good += not problems
    print(f"{good} good, {bad} bad, {found} problems, seal {exporter.seal.hexdigest()[:12]}")
    print(f"truth {view.hashing:.3f}")


if __name__ == "__main__":
    main()
