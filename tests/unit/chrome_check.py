"""Checks a trace for what chrome://tracing, Perfetto and Holistic Trace Analysis rely on, prints what is in it.

One line for each span: category, name, pid, tid, correlation or '-', separated by tabs; then the numbers of arrows.
"""

import collections
import decimal
import json
import re
import sys

HOST = {"cuda_runtime", "cuda_driver", "cpu_op", "user_annotation", "wait"}
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
starts, ends, opened = {}, {}, {}
metadata = collections.defaultdict(set)
for event in trace["traceEvents"]:
    where = event["pid"], event["tid"]
    assert whole(where[0]) and whole(where[1]) and event["name"] and isinstance(event["name"], str), event
    at = ns(event["ts"])
    if event["ph"] == "X":
        assert event["cat"] in HOST | DEVICE, event
        args = event["args"]
        if event["cat"] in DEVICE:
            assert all(whole(args[key]) for key in ("device", "context", "stream", "correlation")), event
            assert args["stream"] == event["tid"], event
        if event["cat"] in DEVICE - {"kernel"}:
            assert COPIES.fullmatch(event["name"]), event
        spans[where].append((at, at + ns(event["dur"]), event))
        print(event["cat"], event["name"], *where, args.get("correlation", "-"), sep="\t")
    elif event["ph"] in ("s", "f"):
        side = starts if event["ph"] == "s" else ends
        assert event["cat"] == event["name"] == "ac2g" and event["id"] not in side, event
        assert event["ph"] == "s" or event["bp"] == "e", event
        side[event["id"]] = (at, where)
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
for arrow, start in starts.items():
    calls, works = around(start, HOST), around(ends[arrow], DEVICE)
    linked = {span[2]["args"].get("correlation") for span in calls}
    works = [span for span in works if span[0] == ends[arrow][0] and span[2]["args"]["correlation"] in linked]
    assert works, "an arrow between strangers: %s" % arrow
    assert start[0] <= ends[arrow][0], "an arrow back in time: %s" % arrow
print("arrows", len(starts))
