#!/usr/bin/env python3
"""grown.py PAGE: what the page of a program that keeps growing says of that over time."""

import sys

from checks import check, run


def number_of_finding(page):
    return page.evaluate("app.bundle.header.first.findings.found.findIndex(one => one.rule === 'host-memory-grows') + 1")


def captions(page):
    return page.text("figcaption")


def on_the_axis(page):
    page.evaluate("app.change({tab: 'time'})")
    page.wait_for("document.querySelectorAll('figure canvas').length > 3")
    grows = [text for text in captions(page) if text.startswith("blocks of malloc that grow")]
    check(f"the line has a track: {captions(page)}", len(grows) == 1 and "keep (grows.py:5)" in grows[0])
    check(f"with its rate: {grows}", grows and "MiB a second" in grows[0])
    rss = [text for text in captions(page) if text.startswith("resident memory")]
    check(f"RSS is told by kind: {rss}", rss and "blocks of malloc" in rss[0] and "files, code" in rss[0])
    kinds = page.evaluate("(() => { const v = app.views.time[1], t = v.end * 0.9; return [rssKinds(v, t), v.sumAt('rss', t)]; })()")
    check(f"the kinds are all of it: {kinds}", sum(kinds[0]) == kinds[1] and min(kinds[0]) > 0)


def to_the_end(page):
    """What a program gives back as it ends is no growth, and none."""
    page.evaluate("app.change({t0: String(app.views.time[1].end * 0.5), t1: String(app.views.time[1].end)})")
    grows = [text for text in captions(page) if text.startswith("blocks of malloc that grow")]
    rate = float(grows[0].split(", ")[-1].split(" ")[0]) if grows and "MiB a second" in grows[0] else None
    check(f"the rate of a part to the end: {grows}", rate is not None and 6 < rate < 12)
    page.evaluate("app.change({t0: String(app.views.time[1].end * 0.5), t1: String(app.views.time[1].end * 0.52)})")
    check("a part of one look has no rate", any("too short" in text for text in captions(page)))
    for t0, t1 in (("1000000000", "1000000000.0000002"), ("NaN", "-1"), ("1e999", "0"), ("5", "4"), ("", "1")):
        page.evaluate(f"app.change({{t0: '{t0}', t1: '{t1}'}})")
        part = page.evaluate("[app.views.time[1].from, app.views.time[1].to]")
        check(f"{t0} to {t1} is a part of the run: {part}", part[0] >= 0 and part[1] >= part[0] + 1)
    page.evaluate("app.change({t0: '', t1: ''})")


def in_a_part(page):
    page.evaluate("app.change({t0: String(app.views.time[1].end * 0.2), t1: String(app.views.time[1].end * 0.8)})")
    grows = [text for text in captions(page) if text.startswith("blocks of malloc that grow")]
    check(f"a part has a rate of its own: {grows}", grows and "in this part" in grows[0])
    page.evaluate("app.change({t0: '', t1: ''})")


def finding(page):
    number = number_of_finding(page)
    check("it is told", number > 0)
    box = page.evaluate("(() => { const c = document.querySelectorAll('figure')[1].lastChild.getBoundingClientRect(); return [c.x, c.y, c.width, c.height]; })()")
    check("the second track is of findings", captions(page)[1].startswith("findings"))
    page.click(box[0] + box[2] / 2, box[1] + 2 + 6)
    page.wait_for("app.state.tab === 'first'")
    check("a click leads to what the summary says of it", page.evaluate("app.state.finding") == str(number))
    check("which is marked", page.evaluate("document.querySelector('.finding.here')?.dataset.number") == str(number))
    page.evaluate(f"document.querySelector('[data-number=\"{number}\"] a[href*=t0]').click()")
    page.wait_for("app.state.tab === 'time' && app.state.t0 !== ''")
    part = page.evaluate("[Number(app.state.t0), Number(app.state.t1), app.views.time[1].end]")
    check(f"and from there to that part of the run: {part}", 0 <= part[0] < part[1] <= part[2] and part[1] - part[0] > part[2] / 2)


sys.exit(run((on_the_axis, to_the_end, in_a_part, finding)))
