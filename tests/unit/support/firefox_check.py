"""Reads a processed profile of the Firefox Profiler, checks what the viewer relies on, prints what is in it.

thread NAME WEIGHT_TYPE SUM      for each thread with samples
stack NAME WEIGHT FRAME...       for each sample, the outermost frame first
marker THREAD NAME START END DATA
counter NAME VALUE...            accumulated
heap NAME ALLOCATED RETAINED
"""

import json
import sys

with open(sys.argv[1], encoding="ascii") as file:
    profile = json.load(file)
meta, shared = profile["meta"], profile["shared"]
assert meta["preprocessedProfileVersion"] == 70
assert meta["interval"] > 0 and meta["startTime"] > 0
categories = meta["categories"]
assert any(category["color"] == "grey" for category in categories)
assert all(category["subcategories"][0] == "Other" for category in categories)
schemas = {schema["name"]: {field["key"] for field in schema["fields"]} for schema in meta["markerSchema"]}

COLUMNS = {
    "stackTable": "frame prefixOffset",
    "frameTable": "address lib inlineDepth category subcategory func nativeSymbol innerWindowID line column "
    "originalLocation",
    "funcTable": "name isJS relevantForJS resource source lineNumber columnNumber originalLocation",
    "resourceTable": "name host type",
    "nativeSymbols": "libIndex address name functionSize",
    "sources": "id filename startLine startColumn sourceMapURL content",
    "sourceLocationTable": "source line column",
}


def table(of, columns):
    """A table whose columns are as long as it says."""
    length = of["length"]
    for column in columns.split():
        assert len(of[column]) == length, column
    return of


def within(values, count, none=()):
    for value in values:
        assert value in none or (isinstance(value, int) and 0 <= value < count), (value, count)


for name, columns in COLUMNS.items():
    table(shared[name], columns)
strings, stacks, frames = shared["stringArray"], shared["stackTable"], shared["frameTable"]
functions, sources = shared["funcTable"], shared["sources"]
assert all(isinstance(text, str) and text.isprintable() for text in strings) and len(set(strings)) == len(strings)
within(stacks["frame"], frames["length"])
within(frames["func"], functions["length"])
within(frames["category"], len(categories))
assert set(frames["address"]) | set(frames["lib"]) <= {-1}
within(functions["name"], len(strings))
within(functions["source"], sources["length"], (None,))
within(functions["resource"], shared["resourceTable"]["length"], (-1,))
within(shared["resourceTable"]["name"], len(strings))
within(sources["filename"], len(strings))
paths = []  # by stack
for i, offset in enumerate(stacks["prefixOffset"]):
    assert 0 <= offset <= i
    name = strings[functions["name"][frames["func"][stacks["frame"][i]]]]
    paths.append((paths[i - offset] if offset else []) + [name])

assert profile["threads"]
tids = set()
for thread in profile["threads"]:
    assert isinstance(thread["pid"], str) and (thread["pid"], thread["tid"]) not in tids
    tids.add((thread["pid"], thread["tid"]))
    assert thread["registerTime"] <= thread["unregisterTime"]
    samples = table(thread["samples"], "stack time weight")
    within(samples["stack"], len(paths))
    assert samples["time"] == sorted(samples["time"])
    assert samples["weightType"] in ("samples", "tracing-ms", "bytes") and all(w > 0 for w in samples["weight"])
    if samples["length"]:
        print("thread", thread["name"], samples["weightType"], round(sum(samples["weight"]), 6))
    for stack, weight in zip(samples["stack"], samples["weight"]):
        print("stack", thread["name"], weight, *paths[stack])
    if "nativeAllocations" in thread:
        heap = table(thread["nativeAllocations"], "time weight stack memoryAddress threadId")
        assert heap["weightType"] == "bytes" and heap["time"] == sorted(heap["time"])
        within(heap["stack"], len(paths), (None,))
        live = {}
        for address, weight in zip(heap["memoryAddress"], heap["weight"]):
            assert weight > 0 if address not in live else live[address] == -weight
            live[address] = live.get(address, 0) + weight
        print("heap", thread["name"], sum(w for w in heap["weight"] if w > 0), sum(live.values()))
    markers = table(thread["markers"], "data name startTime endTime phase category")
    within(markers["name"], len(strings))
    within(markers["category"], len(categories))
    assert set(markers["phase"]) <= {1} and markers["startTime"] == sorted(markers["startTime"])
    for i, data in enumerate(markers["data"]):
        assert set(data) - {"type"} <= schemas[data["type"]]
        assert 0 <= markers["startTime"][i] <= markers["endTime"][i]
        print("marker", thread["name"], strings[markers["name"][i]], markers["startTime"][i], markers["endTime"][i],
              json.dumps(data))
for counter in profile["counters"]:
    samples = table(counter["samples"], "time count")
    assert samples["time"] == sorted(samples["time"])
    within([counter["mainThreadIndex"]], len(profile["threads"]))
    assert profile["threads"][counter["mainThreadIndex"]]["pid"] == counter["pid"]
    assert counter["display"]["graphType"] == "line-accumulated" and counter["display"]["unit"] == "bytes"
    print("counter", counter["name"], *[sum(samples["count"][: i + 1]) for i in range(samples["length"])])
