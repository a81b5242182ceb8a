"""Reads a callgrind profile by the format's grammar, checks what its readers rely on, prints what is in it.

events NAME...           in the order of the file
self FUNCTION VALUE...   self cost of each function, lines added up
line FILE:LINE VALUE...  self cost of each line of a file
call CALLER LINE CALLEE CALLS VALUE...
"""

import re
import sys

with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
    lines = file.read().split("\n")
assert lines[0] == "# callgrind format" and lines[1] == "version: 1" and lines[-1] == ""
at = next(i for i, line in enumerate(lines) if line.startswith("events:"))
for line in lines[2:at]:
    assert re.match(r"(creator|pid|cmd|positions): |event: [A-Za-z][A-Za-z0-9]* : [^\n]+$", line), line[:100]
events = lines[at].split()[1:]
assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", event) for event in events) and len(set(events)) == len(events)
assert [line.split()[1] for line in lines[2:at] if line.startswith("event: ")] == events

names = {"ob": {}, "fl": {}, "fn": {}}
kinds = {"ob": "ob", "fl": "fl", "fi": "fl", "fe": "fl", "fn": "fn", "cob": "ob", "cfi": "fl", "cfn": "fn"}
here, pending = {}, None
costs, places, calls, summary, totals = {}, {}, [], None, None


def numbers(text):
    values = [int(word) for word in text.split()]
    assert len(values) <= len(events) and all(value >= 0 for value in values)
    return values + [0] * (len(events) - len(values))


def add(to, key, values):
    to[key] = [a + b for a, b in zip(to.get(key, [0] * len(events)), values)]


for line in lines[at + 1 :]:
    assert "\r" not in line and "\x1b" not in line
    spec = re.match(r"(c?ob|fl|fi|fe|c?fn|cfi)=\((\d+)\)(?: (.+))?$", line)
    if spec:
        kind, number, name = spec[1], int(spec[2]), spec[3]
        table = names[kinds[kind]]
        assert (name is not None) == (number not in table), line[:100]
        here[kind] = table.setdefault(number, name)
        if kind in ("fl", "fn"):
            here["file"] = here["fl"]
        if kind in ("fi", "fe"):
            assert kind == "fi" or here["fe"] == here["fl"]
            here["file"] = here[kind]
    elif line.startswith("summary:"):
        summary = numbers(line[8:])
    elif line.startswith("totals:"):
        totals = numbers(line[7:])
    elif line.startswith("calls="):
        count, target = map(int, line[6:].split())
        assert count > 0 and target >= 0 and pending is None
        pending = count
    elif line:
        where, values = line.split(" ", 1)
        values = numbers(values)
        if pending is None:
            add(costs, here["fn"], values)
            add(places, "%s:%d" % (here["file"], int(where)), values)
        else:
            calls.append((here["fn"], int(where), here["cfn"], pending, *values))
            pending = None
assert summary == totals == [sum(column) for column in zip(*costs.values())]
print("events", *events)
for name, values in costs.items():
    print("self", name, *values)
for name, values in places.items():
    print("line", name, *values)
for call in calls:
    print("call", *call)
