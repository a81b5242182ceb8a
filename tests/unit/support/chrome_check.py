"""Checks a trace for what chrome://tracing, Perfetto and Holistic Trace Analysis rely on, prints what is in it.

One line for each span: category, name, pid, tid, correlation or '-', separated by tabs; then the numbers of arrows.
"""

import collections
import decimal
import json
import re
import sys

HOST = {"cuda_runtime", "cuda_driver", "cpu_op", "user_annotation", "wait", "python_function"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
# What tools take a copy's direction, and whether a kernel communicates, from.
COPIES = re.compile(r"Memcpy (HtoD|DtoH|DtoD|HtoH|PtoP) \(\w+ -> \w+\)|Memcpy \w+ \(.*\)|Memset \(\w+\)")


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), "a key twice: %s" % keys
    return dict(pairs)


def refuse(word):
    raise AssertionError("no JSON: " + word)


def number(value):
    return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def ns(microseconds):
    assert number(microseconds) and microseconds >= 0, microseconds
    value = decimal.Decimal(microseconds) * 1000
    assert value == int(value), "finer than nanoseconds: %s" % microseconds
    return int(value)


with open(sys.argv[1], encoding="ascii") as file:
    text = file.read()
trace = json.loads(text, object_pairs_hook=unique, parse_constant=refuse, parse_float=decimal.Decimal)
assert trace["schemaVersion"] == 1 and trace["displayTimeUnit"] == "ms"
assert whole(trace["baseTimeNanoseconds"] // 2**20) and isinstance(trace["traceName"], str)
for device in trace["deviceProperties"]:
    assert whole(device["id"]) and isinstance(device["name"], str) and whole(device["numSms"])
# Holistic Trace Analysis finds the rank by this text alone.
found = re.findall(r'"rank":\s+(\d+)', text[: text.index('"traceEvents"')])
assert found == ([str(trace["distributedInfo"]["rank"])] if "distributedInfo" in trace else []), found
print("rank", *found)

spans = collections.defaultdict(list)  # by (pid, tid): (start, end, event)
starts, ends, opened = {}, {}, {}  # of arrows: by (category, id)
modules = set()  # ids of those before
metadata = collections.defaultdict(set)
for event in trace["traceEvents"]:
    where = event["pid"], event["tid"]
    assert whole(where[0]) and whole(where[1]) and event["name"] and isinstance(event["name"], str), event
    at = ns(event["ts"])
    if event["ph"] == "X":
        assert event["cat"].split(",")[0] in HOST | DEVICE, event  # "wait,file": the second tells what for
        args = event["args"]
        assert "External id" not in args or whole(args["External id"]) and args["External id"] > 0, event
        assert "Sequence number" not in args or whole(args["Sequence number"]) and whole(args["Fwd thread id"]), event
        if event["cat"] == "python_function":
            assert re.fullmatch(r"nn\.Module: \w+_%d" % args["Python module id"], event["name"]), event
            assert args["Python parent id"] is None or args["Python parent id"] in modules, event
            assert args["Python id"] not in modules, event
            modules.add(args["Python id"])
        # Holistic Trace Analysis takes all of that name for steps, and fails where there is no number.
        assert not event["name"].startswith("ProfilerStep") or re.fullmatch(r"ProfilerStep#\d+", event["name"]), event
        if event["cat"] in DEVICE:
            assert all(whole(args[key]) for key in ("device", "context", "stream", "correlation")), event
            assert args["stream"] == event["tid"], event
        if event["cat"] in DEVICE - {"kernel"}:
            assert COPIES.fullmatch(event["name"]), event
        spans[where].append((at, at + ns(event["dur"]), event))
        print(event["cat"], event["name"], *where, args.get("correlation", "-"), sep="\t")
    elif event["ph"] in ("s", "f"):
        side = starts if event["ph"] == "s" else ends
        key = event["cat"], event["id"]
        assert event["cat"] == event["name"] in ("ac2g", "fwdbwd") and key not in side, event
        assert event["ph"] == "s" or event["bp"] == "e", event
        side[key] = (at, where)
    elif event["ph"] in ("b", "e"):  # what ends on any thread
        key = event["cat"], event["id"], event["name"]
        if event["ph"] == "b":
            assert key not in opened, event
            opened[key] = at
        else:
            assert opened.pop(key) <= at, event
            print(event["cat"], event["name"], *where, "async", sep="\t")
    else:
        assert event["ph"] == "M", event
        metadata[event["name"]].add(where if event["name"].startswith("thread") else where[0])
assert not opened, opened

for where, there in spans.items():
    assert where[0] in metadata["process_name"] & metadata["process_labels"], where
    assert where in metadata["thread_name"], where
    # Spans of a thread or stream lie within one another, or beside.
    there.sort(key=lambda span: (span[0], -span[1]))
    stack = []
    for start, end, event in there:
        while stack and stack[-1] <= start:
            stack.pop()
        assert not stack or end <= stack[-1], "overlaps: %s" % event
        stack.append(end)


def around(point, categories):
    """Spans of these categories at a point of a thread."""
    at, where = point
    return [span for span in spans[where] if span[0] <= at <= span[1] and span[2]["cat"] in categories]


assert starts.keys() == ends.keys(), starts.keys() ^ ends.keys()
assert len({number for _, number in starts}) == len(starts), "an id of two arrows"
for arrow, start in starts.items():
    assert start[0] <= ends[arrow][0], "an arrow back in time: %s" % (arrow,)
    if arrow[0] == "fwdbwd":
        # It leads from an operator's beginning to a backward function's that has a number which was given in the former.
        made = [span for span in around(start, {"cpu_op"}) if span[0] == start[0]]
        runs = [span for span in around(ends[arrow], {"cpu_op"}) if span[0] == ends[arrow][0]]
        first = [span[2]["args"]["Sequence number"] for span in made if "Sequence number" in span[2]["args"]]
        given = {span[2]["args"].get("Sequence number") for span in runs if span[2]["args"].get("Fwd thread id")}
        assert any(number is not None and number >= min(first) for number in given), arrow
        continue
    calls, works = around(start, HOST), around(ends[arrow], DEVICE)
    linked = {span[2]["args"].get("correlation") for span in calls}
    works = [span for span in works if span[0] == ends[arrow][0] and span[2]["args"]["correlation"] in linked]
    assert works, "an arrow between strangers: %s" % (arrow,)
    owners = {span[2]["args"].get("External id") for span in calls}
    assert all(span[2]["args"].get("External id") in owners for span in works), "another operator's: %s" % (arrow,)
print("arrows", sum(category == "ac2g" for category, _ in starts))
