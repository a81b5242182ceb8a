#!/usr/bin/env python3
"""trace_events.py PAGE CHROME: whether a page (made with --full) has the events of `prof export -f chrome`, each with its
times. Prints their number, or what differs."""

import json
import sys
from collections import Counter

from page_data import PageData


def of_page(page):
    out = Counter()
    for lane in page.header["trace"]["lanes"]:
        columns = page.columns({key: lane[key] for key in ("begin", "ns", "name")})
        begin = 0
        for step, ns, name in zip(columns["begin"], columns["ns"], columns["name"]):
            begin += step
            out[page.string(name), begin, ns] += 1
    return out


def of_chrome(document):
    out, open_ranges = Counter(), {}
    for event in document["traceEvents"]:
        begin = round(event.get("ts", 0) * 1000)
        if event["ph"] == "X":
            out[event["name"], begin, round(event["dur"] * 1000)] += 1
        elif event["ph"] == "b":
            open_ranges[event["id"]] = begin
        elif event["ph"] == "e":
            out[event["name"], open_ranges[event["id"]], begin - open_ranges[event["id"]]] += 1
    return out


def main():
    page = of_page(PageData.of(sys.argv[1]))
    with open(sys.argv[2], encoding="utf-8") as file:
        chrome = of_chrome(json.load(file))
    for one, side in ((page - chrome, "page"), (chrome - page, "trace")):
        for event in sorted(one)[:10]:
            print(f"only the {side} has {event}")
    print(sum(page.values()))
    sys.exit(0 if page == chrome else 1)


main()
