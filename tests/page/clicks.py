#!/usr/bin/env python3
"""clicks.py PAGE: uses a page in a browser as somebody would, and says what does not do what it should. The page is one
of a program with several functions that compute; status 77: there is no browser."""

import sys

from checks import check, run


BLOCK = """(() => { const view = app.views.flame[1], box = view.canvas.getBoundingClientRect();
  const block = view.blocks.filter(b => %s).sort((a, b) => b.graph.depth[b.node] - a.graph.depth[a.node])[0];
  return block ? [box.x + block.x + Math.min(block.w / 2, 40), box.y + block.y + 8, view.labelOf(block.graph, block.node), app.stacks.name(view.functionOf(block.graph, block.node)), block.graph.depth[block.node]] : null; })()"""


def block(page, test):
    return page.evaluate(BLOCK % test)


def state(page):
    return page.evaluate("({...app.state})")


def first_screen(page):
    check("the first screen is shown first", "Findings" in page.text("h2"))
    check("it has the summary's labels", {"Run", "Time", "Memory"} <= set(page.text(".facts dt")))
    check("there is a bar for a thread", page.evaluate("document.querySelectorAll('.wall').length") > 0)


def flame_graph(page):
    page.evaluate("document.querySelectorAll('.tabs a')[1].click()")
    page.wait_for("app.state.tab === 'flame' && app.views.flame[1].blocks?.length > 1")
    deep = block(page, "[1, 2].includes(b.graph.depth[b.node]) && b.w > 60")
    check("a block of the second row is there", deep is not None)
    if deep is None:
        return
    page.move(deep[0], deep[1])
    check("the tip names the block", deep[2] in "".join(page.text(".tip")))
    page.click(deep[0], deep[1])
    page.wait_for("app.state.zoom !== ''")
    wide = page.evaluate("(() => { const v = app.views.flame[1]; return v.blocks.find(b => b.node === v.zoom).w / v.scroller.clientWidth; })()")
    check("the zoomed block is as wide as the graph", wide > 0.99)
    check("the way to it is shown", deep[2] in page.text(".crumbs button"))
    page.evaluate("history.back()")
    page.wait_for("app.state.zoom === ''")

    inner = block(page, "[1, 2].includes(b.graph.depth[b.node]) && b.w > 60")
    page.click(inner[0], inner[1], 2)
    page.wait_for("app.state.pivot !== ''")
    check("a pivot shows the function", page.evaluate("app.views.flame[1].labelOf(app.views.flame[1].graph, 0)") == inner[2])
    check("and who calls it, if anybody", page.evaluate("app.views.flame[1].graph.callers.deepest") > 0 or inner[4] == 1)
    sums = page.evaluate("(() => { const g = app.views.flame[1].graph; return [g.all[0], g.callers.all[0]]; })()")
    check(f"callers and callees have the same sum: {sums}", abs(sums[0] - sums[1]) <= 1e-6 * abs(sums[0]))
    page.evaluate("app.change({pivot: '', zoom: ''})")

    whole = page.evaluate("app.views.flame[1].graph.all[0]")
    name = inner[3]
    page.evaluate("document.getElementById('search').focus()")
    for letter in name:
        page.key(letter)
    page.wait_for(f"app.state.search === {name!r}")
    check("the search says what share matches", page.text(".bar .quiet")[0].startswith("matched: "))
    page.evaluate("app.change({search: ''})")

    metrics = page.evaluate("app.stacks.metrics.map(m => m.name)")
    for metric in metrics:
        page.evaluate(f"(() => {{ const m = app.views.flame[1].metric; m.value = {metric!r}; m.dispatchEvent(new Event('change')); }})()")
        drawn = page.evaluate("[app.views.flame[1].graph.all[0], app.stacks.total(app.views.flame[1].measure)]")
        check(f"the graph of {metric} has the run's sum: {drawn}", abs(drawn[0] - drawn[1]) <= 1e-6 * max(1, abs(drawn[1])))
    page.evaluate("app.change({metric: ''})")
    for frames in ("python", "native", "own", "mixed"):
        page.evaluate(f"app.change({{frames: {frames!r}}})")
        check(f"{frames} frames keep the sum", abs(page.evaluate("app.views.flame[1].graph.all[0]") - whole) <= 1e-6 * whole)
    page.evaluate("app.change({lines: '1'})")
    check("lines keep the sum", abs(page.evaluate("app.views.flame[1].graph.all[0]") - whole) <= 1e-6 * whole)
    page.evaluate(f"app.change({{lines: '', focus: {name!r}}})")
    focused = page.evaluate("app.views.flame[1].graph.all[0]")
    page.evaluate(f"app.change({{focus: '', ignore: {name!r}}})")
    rest = page.evaluate("app.views.flame[1].graph.all[0]")
    check(f"what has a function and what has it not is all: {focused} + {rest} of {whole}", abs(focused + rest - whole) <= 1e-6 * whole)
    page.evaluate("app.change({ignore: ''})")
    page.evaluate("app.views.flame[1].canvas.focus()")
    page.key("ArrowDown")
    check("a key moves the selection", page.evaluate("app.views.flame[1].selected") > 0)


def tables(page):
    page.key("3")
    page.wait_for("app.state.tab === 'tables' && document.querySelector('.sheet table') !== null")
    names = page.text(".list a")
    check("the functions are a table", "functions" in names)
    page.evaluate("[...document.querySelectorAll('.list a')].find(a => a.textContent === 'functions').click()")
    page.wait_for("app.state.view === 'functions'")
    values = "[...document.querySelectorAll('.sheet tbody tr')].map(r => Number(r.querySelector('td.number').dataset.value ?? NaN)).filter(v => v === v)"
    page.evaluate("document.querySelector('.sheet th.number button').click()")
    down = page.evaluate(values)
    page.evaluate("document.querySelector('.sheet th.number button').click()")
    up = page.evaluate(values)
    check("a click on a heading sorts", down == sorted(down, reverse=True))
    check("and another turns it around", up == sorted(up))
    rows = len(up)
    page.evaluate("(() => { const f = document.querySelector('.sheet input'); f.value = 'no such row anywhere'; f.dispatchEvent(new Event('input')); })()")
    check("the filter leaves out what does not match", page.evaluate("document.querySelectorAll('.sheet tbody tr').length") == 0 and rows > 0)
    page.evaluate("(() => { const f = document.querySelector('.sheet input'); f.value = ''; f.dispatchEvent(new Event('input')); })()")
    check("what a row is of comes first", page.text(".sheet thead th button")[0] == "function")
    check("a function is a link", page.evaluate("document.querySelector('.sheet tbody a') !== null"))
    page.evaluate("document.querySelector('.sheet tbody a').click()")
    page.wait_for("app.state.tab === 'flame' && app.state.pivot !== ''")


def cells(page):
    page.key("3")
    for name in page.text(".list a"):
        page.evaluate(f"[...document.querySelectorAll('.list a')].find(a => a.textContent === '{name}').click()")
        page.wait_for(f"app.state.view === '{name}'")
        odd = [cell for cell in page.text(".sheet td") if cell.strip() in ("NaN", "undefined", "null", "Infinity")]
        check(f"{name}: each cell is a figure or a name", odd == [])


def source(page):
    page.key("4")
    page.wait_for("app.state.tab === 'source'")
    page.wait_for("document.querySelector('.source table') !== null || document.querySelector('#main p') !== null")
    if page.evaluate("document.querySelector('.source table') !== null"):
        page.evaluate("document.querySelector('.source tbody a').click()")
        page.wait_for("document.querySelector('.source .here') !== null")


def addresses(page):
    """Whatever stands in an address, there is a page."""
    for fragment in ("tab=constructor", "tab=toString&theme=__proto__", "tab=flame&pivot=abc", "tab=flame&pivot=99999999",
                     "tab=flame&zoom=1.x.-7&part=rank:9&metric=none", "tab=source&file=nowhere&line=x", "__proto__=1&tab=tables&view=none"):
        page.evaluate(f"(() => {{ location.hash = {fragment!r}; }})()")
        page.wait_for("document.querySelector('main').firstChild !== null")
        check(f"#{fragment} shows something", len(page.evaluate("document.querySelector('main').textContent")) > 0)
    box = page.evaluate("(() => { app.change({tab: 'source', file: '', line: ''}); const b = document.querySelector('.minimap').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")
    for y in (box[1], box[1] + box[3] / 2, box[1] + box[3] - 1):
        page.click(box[0] + box[2] / 2, y)


def over_time(page):
    page.key("5")
    page.wait_for("app.state.tab === 'time' && document.querySelectorAll('figure canvas').length > 1")
    box = page.evaluate("(() => { const b = document.querySelectorAll('figure canvas')[0].getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")
    page.drag(box[0] + box[2] * 0.25, box[0] + box[2] * 0.5, box[1] + box[3] / 2)
    page.wait_for("app.state.t0 !== ''")
    part = page.evaluate("[Number(app.state.t0) / app.views.time[1].end, Number(app.state.t1) / app.views.time[1].end]")
    check(f"a drag chooses a part: {part}", abs(part[0] - 0.25) < 0.02 and abs(part[1] - 0.5) < 0.02)
    sums = "(() => { const t = app.views.time[1].trace, end = app.views.time[1].end; return [%s].map(([a, b]) => t.sums(a * end, b * end).reduce((all, one) => [all[0] + one.self, all[1] + one.calls], [0, 0])); })()"
    whole, left, right = page.evaluate(sums % "[0, 2], [0, 0.4], [0.4, 2]")
    events = page.evaluate("app.bundle.header.trace.events")
    check(f"the whole run has each event once: {whole} of {events}", whole[1] == events and events > 0)
    check(f"two parts have what the whole has: {left} + {right} of {whole}", abs(left[0] + right[0] - whole[0]) <= 1)
    check("the table has the events of the part", "Events of the trace" in "".join(page.text("h3")))


sys.exit(run((first_screen, flame_graph, tables, cells, source, over_time, addresses)))
