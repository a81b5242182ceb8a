"""Decodes a profile.proto by the wire format alone, checks what its readers rely on, prints what is in it.

One line for each sample: its values and its labels, then its stack from the leaf on, separated by tabs.
"""

import os
import sys

# -I leaves the folder of the script out.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from protobuf_wire import fields, varint


def one(message, number, default=0):
    values = message.get(number, [default])
    assert len(values) == 1
    return values[0]


def packed(data):
    out, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def table(messages):
    out = {}
    for message in map(fields, messages):
        number = one(message, 1)
        assert number != 0 and number not in out
        out[number] = message
    return out


with open(sys.argv[1], "rb") as file:
    profile = fields(file.read())
strings = [text.decode() for text in profile[6]]
assert strings[0] == "" and len(set(strings)) == len(strings)
types = [fields(t) for t in profile[1]]
print("types", *(strings[one(t, 1)] + "/" + strings[one(t, 2)] for t in types), "default", strings[one(profile, 14)])
mappings, locations, functions = (table(profile.get(number, [])) for number in (3, 4, 5))
for mapping in mappings.values():
    assert [one(mapping, flag) for flag in (7, 8, 9, 10)] == [1, 1, 1, 1]
    print("mapping", strings[one(mapping, 5)])
print("seconds", one(profile, 9) // 10**9, one(profile, 10) / 1e9)
for sample in map(fields, profile[2]):
    values = packed(one(sample, 2))
    assert len(values) == len(types)
    words = list(values)
    for label in map(fields, sample.get(3, [])):
        words.append(strings[one(label, 1)] + "=" + strings[one(label, 2)])
    for number in packed(one(sample, 1)):
        location = locations[number]
        assert one(location, 2) == 0 or one(location, 2) in mappings
        line = fields(one(location, 4))
        function = functions[one(line, 1)]
        words.append("%s:%d" % (strings[one(function, 2)], one(line, 2)))
        assert strings[one(function, 3)]
    print(*words, sep="\t")
