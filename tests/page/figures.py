#!/usr/bin/env python3
"""figures.py PAGE JSON: whether a page (made with --full) has the figures of `prof report --format json`, to the last
digit. Prints what differs."""

import json
import sys

from page_data import PageData

wrong = []
LONGEST = 2000  # names that are longer are cut


def check(what, page, document):
    if page != document:
        wrong.append(f"{what}: the page has {page!r}, JSON {document!r}")


def seconds(ns):
    return None if ns is None else ns / 1e9


def table(page, view, title=None):
    for one in page.header["tables"]:
        if one["view"] == view:
            for sheet in one["sheets"]:
                if title is None or sheet["title"].startswith(title):
                    keys = [column["key"] for column in sheet["columns"]]
                    return [dict(zip(keys, row["cells"])) for row in sheet["rows"]]
    return []


def check_functions(page, document):
    rows = table(page, "functions")
    check("functions", len(rows), len(document["functions"]))
    for row, wanted in zip(rows, document["functions"]):
        check(f"tottime of {wanted['name']}", seconds(row["tottime_ns"]), wanted["tottime_s"])
        check(f"cumtime of {wanted['name']}", seconds(row["cumtime_ns"]), wanted["cumtime_s"])


def check_stacks(page, document):
    """The flame graph, added up by function, against the functions."""
    stacks = page.stacks()
    pairs = [("cpu", "tottime_s", "cumtime_s"), ("blocked", "blocked_s", "cumblocked_s"), ("gpu-time", "gpu_s", "cumgpu_s")]
    for measure, self_key, cumulative_key in pairs:
        if measure not in stacks.measures():
            continue
        selfs, cumulative = stacks.by_function(measure)
        got = {}
        for function in cumulative:
            if function >= 0:
                key = stacks.key(function)
                both = got.setdefault(key[:3], [0, 0])
                both[0] += max(0, selfs.get(function, 0))
                both[1] += max(0, cumulative[function])
        wanted = {}
        for row in document["functions"]:
            key = (row["name"], row["file"] or "", row["line"] or 0)
            both = wanted.setdefault(key, [0, 0])
            both[0] += round((row[self_key] or 0) * 1e9)
            both[1] += round((row[cumulative_key] or 0) * 1e9)
        for key, both in wanted.items():
            for kind, ours, theirs in zip((self_key, cumulative_key), got.get(key, (0, 0)), both):
                if len(key[0]) < LONGEST:
                    check(f"{kind} of {key} in the flame graph", ours, theirs)


def check_findings(page, document):
    found = page.header["first"]["findings"]["found"]
    wanted = document["findings"]["found"]
    check("findings", [one["rule"] for one in found], [one["rule"] for one in wanted])
    for ours, theirs in zip(found, wanted):
        check("title of a finding", ours["title"], theirs["title"])
        when = [[span["begin_s"], span["end_s"]] for span in theirs["when"]]
        check("times of a finding", [[seconds(begin), seconds(end)] for begin, end in ours["when"]], when)


def check_time(page, document):
    processes = {one["index"]: one for one in page.header["time"]["processes"]}
    for wanted in document["timeline"] or []:
        columns = page.columns(processes[wanted["process"]].get("series"))
        points = wanted["points"]
        check("points", len(columns.get("begin", points)), len(points))
        check("RSS over time", columns.get("rss", [0] * len(points)), [point["rss_high_bytes"] for point in points])
        files = columns.get("file", [0] * len(points))
        check("pages of files over time", files, [point["rss_file_bytes"] or 0 for point in points])
        check("CPU time over time", [seconds(ns) for ns in columns.get("cpu", [0] * len(points))], [point["cpu_s"] for point in points])
    rates = {leak["rate_bytes_per_s"]: leak for leak in document["leaks"] or []}
    for ours in page.header["time"]["leaks"]:
        theirs = rates.get(ours["rate"], {"rate_bytes_per_s": None, "values": None})
        check("rate of a leak", ours["rate"], theirs["rate_bytes_per_s"])
        values = list(page.column(ours["values"]))  # without what was given back at the end
        check("memory of a leak over time", values, (theirs["values"] or [])[:len(values)])
        check("moments of a leak", len(values) >= len(theirs["values"] or []) * 3 // 4, True)
    for ours, theirs in zip(page.header["time"]["steps"], document["steps"] or []):
        records = page.columns(ours["records"])
        check("steps", ours["count"], theirs["steps"])
        check("times of steps", [seconds(ns) for ns in records["ns"]], [record["time_s"] for record in theirs["records"]])
        check("begins of steps", [seconds(ns) for ns in records.get("begin", [0])], [record["begin_s"] for record in theirs["records"]])


def check_lines(page, document):
    ours = {}
    for file in page.header["source"]:
        columns = page.columns(file["figures"])
        for i, line in enumerate(columns.get("line", [])):
            figure = lambda name: columns[name][i] if name in columns else 0
            key = (page.string(file["file"]), line)
            both = ours.setdefault(key, [0, 0])
            both[0] += figure("python_ns") + figure("native_ns")
            both[1] += figure("cumulative_ns")
    theirs = {}
    for row in document["lines"]:
        both = theirs.setdefault((row["file"], row["line"]), [0, 0])
        both[0] += round(((row["cpu_python_s"] or 0) + (row["cpu_native_s"] or 0)) * 1e9)
        both[1] += round((row["cumtime_s"] or 0) * 1e9)
    if len(page.header["source"]) < 400:
        check("lines", sorted(ours), sorted(theirs))
    for key in ours:
        check(f"CPU time of line {key}", ours[key][0], theirs.get(key, [None])[0])


def main():
    page = PageData.of(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        document = json.load(file)
    for part in (check_functions, check_stacks, check_findings, check_time, check_lines):
        part(page, document)
    for line in wrong[:20]:
        print(line)
    sys.exit(1 if wrong else 0)


main()
