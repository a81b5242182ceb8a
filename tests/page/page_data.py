"""What a page of `prof report --html` carries, unpacked as its script does: report/page/bundle.hpp has the layout."""

import base64
import gzip
import json
import re


class PageData:
    def __init__(self, html):
        packed = re.search(r'<script id="data" type="application/octet-stream">([A-Za-z0-9+/=]*)</script>', html).group(1)
        stream = gzip.decompress(base64.b64decode(packed, validate=True))
        size = int.from_bytes(stream[:4], "little")
        self.header = json.loads(stream[4 : 4 + size])
        self.bytes = stream[4 + size :]

    @classmethod
    def of(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    def string(self, number):
        return self.header["strings"][number]

    def column(self, number):
        if number is None:
            return []
        at, count = self.header["columns"][number]
        out = []
        for _ in range(count):
            value = shift = 0
            while True:
                byte = self.bytes[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            out.append(value >> 1 if value % 2 == 0 else -((value + 1) >> 1))
        return out

    def columns(self, numbers):
        return {name: self.column(number) for name, number in (numbers or {}).items()}

    def stacks(self):
        return Stacks(self)


class Stacks:
    """The tree of the flame graph, and what can be added up of it."""

    def __init__(self, page):
        header = page.header["stacks"]
        self.page, self.header = page, header
        self.parent = [node - step for node, step in enumerate(page.column(header["parent"]))]
        place = page.column(header["place"])
        functions = page.column(header["places"]["function"])
        self.place = place
        self.function = [functions[at] if at >= 0 else -1 for at in place]  # by node; -1: root, and what was left out
        self.functions = page.columns(header["places"]["functions"])

    def measures(self):
        return [measure["name"] for measure in self.header["measures"]]

    def own(self, measure):
        """By node, of all processes."""
        at = self.measures().index(measure)
        out = [0] * len(self.parent)
        for part in self.header["parts"]:
            if part["thread"] or part["own"][at] is None:
                continue
            node = 0
            for step, value in zip(*(self.page.column(number) for number in part["own"][at])):
                node += step
                out[node] += value
        return out

    def by_function(self, measure):
        """tottime and cumtime, as it were: what each function has itself, and what stacks have that it is on."""
        own = self.own(measure)
        every = list(own)
        for node in range(len(own) - 1, 0, -1):
            every[self.parent[node]] += every[node]
        selfs, cumulative = {}, {}
        above = [frozenset()] * len(own)  # the functions on the way to a node
        for node in range(1, len(own)):
            function, outside = self.function[node], above[self.parent[node]]
            above[node] = outside if function in outside else outside | {function}
            selfs[function] = selfs.get(function, 0) + own[node]
            if function not in outside:
                cumulative[function] = cumulative.get(function, 0) + every[node]
        return selfs, cumulative

    def key(self, function):
        string = self.page.string
        return (string(self.functions["whole"][function]), string(self.functions["file"][function]),
                self.functions["line"][function], string(self.functions["module"][function]))
