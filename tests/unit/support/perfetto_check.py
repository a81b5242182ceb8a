"""Decodes a Perfetto trace by the wire format alone, checks what its readers rely on, prints what is in it.

track PATH                                        names from the process on, between slashes
slice PATH NAME CATEGORY BEGIN END NAME=VALUE...  times in ns from the start of the run
flow FROM TO
counter PATH TIME VALUE
heap PID NAME ALLOCATED FREED COUNT FREES FRAME...
stack PID TID NS FRAME...                         the outermost frame first
sample PID TID FRAME...                           once for each
"""

import os
import sys

# -I leaves the folder of the script out.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from protobuf_wire import fields


def one(message, number, default=0):
    values = message.get(number, [default])
    assert len(values) == 1
    return values[0]


def text(data):
    value = data.decode()
    assert value.isprintable()
    return value


REALTIME, MONOTONIC_COARSE, RUN = 1, 4, 64
interned = {number: {} for number in (1, 2, 3, 5, 6, 7, 17, 18, 19, 29)}
profiles = last_profile = 0
tracks, opened, flows, ends, last = {}, {}, {}, {}, {}


def path(uuid):
    name, parent = tracks[uuid]
    return (path(parent) + "/" if parent else "") + name


def stack(number):
    names = []
    for frame in interned[7][number].get(2, []):
        of = interned[6][frame]
        assert one(of, 3) in interned[19] and (one(of, 5) == 0 or one(of, 5) in interned[18])
        names.append(interned[5][one(of, 2)])
    assert names
    return names


with open(sys.argv[1], "rb") as file:
    packets = fields(file.read())
assert list(packets) == [1]
for i, packet in enumerate(map(fields, packets[1])):
    assert one(packet, 10) == 1 and one(packet, 13) == (3 if i == 0 else 2) and one(packet, 87) == (i == 0)
    for number, entries in fields(one(packet, 12, b"")).items():
        for entry in map(fields, entries):
            assert one(entry, 1) not in interned[number] and one(entry, 1) > 0
            interned[number][one(entry, 1)] = entry if number in (6, 7, 19) else text(one(entry, 2, b""))
    if 6 in packet:
        snapshot = fields(one(packet, 6))
        clocks = {one(c, 1): one(c, 2) for c in map(fields, snapshot[1])}
        assert clocks[REALTIME] > 10**18 and clocks[RUN] == 0 and clocks[3] == clocks[MONOTONIC_COARSE]
        assert one(snapshot, 2) == REALTIME and one(fields(one(packet, 59)), 58) == RUN
    if 60 in packet:
        track = fields(one(packet, 60))
        uuid, parent = one(track, 1), one(track, 5)
        assert uuid not in tracks and (parent == 0 or parent in tracks)
        name = text(one(track, 2, b""))
        if 3 in track:
            name = text(one(fields(one(track, 3)), 6, b""))
        if 4 in track:
            name = "%d %s" % (one(fields(one(track, 4)), 2), text(one(fields(one(track, 4)), 5, b"")))
        tracks[uuid] = name, parent
        print("track", path(uuid))
    time = one(packet, 8)
    assert 8 in packet or 6 in packet or 60 in packet
    if 11 in packet:
        event = fields(one(packet, 11))
        kind, track = one(event, 9), one(event, 11)
        assert track in tracks and time >= last.get(track, 0)
        last[track] = time
        if kind == 1:
            name, category = interned[2][one(event, 10)], interned[1][one(event, 3)]
            words = []
            for of in map(fields, event.get(4, [])):
                value = one(of, 3) if 3 in of else interned[29][one(of, 17)]
                words.append("%s=%s" % (interned[3][one(of, 1)], value))
            opened.setdefault(track, []).append((name, category, time, words))
            for flow in event.get(47, []):
                flows.setdefault(flow, []).append(name)
            for flow in event.get(48, []):
                ends.setdefault(flow, []).append(name)
        elif kind == 2:
            name, category, began, words = opened[track].pop()
            print("slice", path(track), name, category, began, time, *words)
        else:
            assert kind == 4 and 30 in event
            print("counter", path(track), time, one(event, 30))
    if 37 in packet:
        profile = fields(one(packet, 37))
        assert one(profile, 7) == profiles and time >= last_profile
        profiles, last_profile = profiles + 1, time
        dump = fields(one(profile, 5))
        assert one(dump, 9) == clocks[MONOTONIC_COARSE] + time
        for sample in map(fields, dump[2]):
            print("heap", one(dump, 1), text(one(dump, 11)), *[one(sample, n) for n in (2, 3, 5, 6)], *stack(one(sample, 1)))
    if 135 in packet:
        sample = fields(one(packet, 135))
        task = fields(one(sample, 1))
        print("stack", one(task, 2), one(task, 3), one(sample, 11), *stack(one(sample, 6)))
    if 66 in packet:
        sample = fields(one(packet, 66))
        print("sample", one(sample, 2), one(sample, 3), *stack(one(sample, 4)))
assert not any(opened.values()), "slices without an end"
assert set(flows) == set(ends)
for flow, names in flows.items():
    assert len(names) == len(ends[flow]) == 1
    print("flow", names[0], ends[flow][0], sep="|")
