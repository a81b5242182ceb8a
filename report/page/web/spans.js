// Spans within one another, each with its times: imports, and the events of a run with --trace.

const SPAN_HEIGHT = 13, MOST_DEEP = 24, MOST_LANES = 40;
const SPAN_KINDS = {1: 'call', 2: 'range', 3: 'operator', 4: 'GPU work', 5: 'wait'};  // log::TraceKind

// `spans`: {begin, ns, depth: columns; label: i => text}, in the order of their beginning; `rowsOf`: i => what the tip says.
function spanTrack(view, title, spans, rowsOf) {
  const {begin, ns, depth, label} = spans, deepest = Math.min(MOST_DEEP, depth.reduce((a, b) => Math.max(a, b), 0));
  return new Track(view, title, (deepest + 1) * SPAN_HEIGHT + 4, (context, x, width) => {
    const drawn = new Float64Array(deepest + 1).fill(-1);  // up to where, by depth: of many in one pixel one is drawn
    for (let i = 0; i < begin.length && begin[i] <= view.to; ++i) {
      const left = x(begin[i]), right = x(begin[i] + ns[i]), y = depth[i] * SPAN_HEIGHT + 2;
      if (depth[i] > deepest || right < 0 || right < drawn[depth[i]] + 0.5) continue;
      drawn[depth[i]] = Math.max(right, left + 0.7);
      context.fillStyle = `hsl(${hash(label(i)) % 360} 45% ${view.app.dark ? 38 : 78}%)`;
      context.fillRect(left, y, Math.max(0.7, right - left - 0.5), SPAN_HEIGHT - 1);
      if (right - Math.max(0, left) > 30) view.write(context, label(i), Math.max(0, left), y, Math.min(width, right));
    }
  }, (time, y) => {
    const row = Math.floor((y - 2) / SPAN_HEIGHT), near = (view.to - view.from) / 1000;
    let found = -1;
    for (let i = 0; i < begin.length && begin[i] <= time; ++i) if (depth[i] === row && time <= begin[i] + Math.max(ns[i], near)) found = i;
    return found < 0 ? null : rowsOf(found);
  });
}

class Trace {
  constructor(app) {
    this.app = app;
    this.trace = app.bundle.header.trace;
    this.lanes = (this.trace?.lanes ?? []).map(lane => this.unpacked(lane));
    this.element = el('div');
  }

  unpacked(lane) {
    const {bundle} = this.app, column = name => bundle.column(lane[name]), begin = column('begin').slice(), ns = column('ns');
    const depth = new Uint16Array(begin.length), open = [];
    for (let i = 0; i < begin.length; ++i) {
      if (i > 0) begin[i] += begin[i - 1];
      while (open.length > 0 && begin[open[open.length - 1]] + ns[open[open.length - 1]] <= begin[i]) open.pop();
      depth[i] = open.length;
      open.push(i);
    }
    return {title: bundle.string(lane.title), begin, ns, depth, name: column('name'), kind: column('kind'), bytes: column('bytes'),
            label: i => bundle.string(column('name')[i])};
  }

  tracks(view) {
    return this.lanes.slice(0, MOST_LANES).map(lane => spanTrack(view, lane.title, lane, i => {
      const rows = [[lane.label(i), SPAN_KINDS[lane.kind[i]] ?? ''], ['lasted', amount(lane.ns[i], 'time')]];
      if (lane.bytes[i] > 0) rows.push(['bytes', amount(lane.bytes[i], 'bytes')]);
      return rows;
    }));
  }

  // What the events of a part of the run add up to, by name; of one that was cut off, what lies in that part.
  sums(from, to) {
    const sums = new Map(), inPart = (lane, i) => Math.max(0, Math.min(to, lane.begin[i] + lane.ns[i]) - Math.max(from, lane.begin[i]));
    for (const lane of this.lanes) {
      const open = [];  // [event, its sum]
      for (let i = 0; i < lane.begin.length && lane.begin[i] < to; ++i) {
        open.length = lane.depth[i];
        const time = inPart(lane, i), key = lane.kind[i] + ' ' + lane.name[i];
        let sum = sums.get(key);
        if (!sum) sums.set(key, sum = {name: lane.label(i), kind: SPAN_KINDS[lane.kind[i]] ?? '', calls: 0, self: 0, all: 0});
        if (lane.begin[i] >= from || time > 0) ++sum.calls;
        sum.self += time;
        if (!open.some(([, outer]) => outer === sum)) sum.all += time;
        if (open.length > 0) {
          const [around, outer] = open[open.length - 1];
          const end = Math.min(lane.begin[i] + lane.ns[i], lane.begin[around] + lane.ns[around]);
          outer.self -= Math.max(0, Math.min(to, end) - Math.max(from, lane.begin[i]));
        }
        open.push([i, sum]);
      }
    }
    return [...sums.values()].filter(sum => sum.calls > 0).sort((a, b) => b.self - a.self);
  }

  tell(from, to) {
    if (this.lanes.length === 0) return;
    const {events, left_out: left, overwritten} = this.trace, captions = ['Times are those within the part that is chosen.'], notes = [];
    if (left > 0) captions.push(`The page has the ${grouped(events)} longest of ${grouped(events + left)} events; --full keeps more.`);
    if (overwritten > 0) captions.push(`${grouped(overwritten)} earlier events are lost: a larger --trace keeps more.`);
    if (this.lanes.length > MOST_LANES) notes.push(`Drawn are ${MOST_LANES} of ${this.lanes.length} threads and streams; the table has all.`);
    const column = (key, title, kind) => ({key, title, kind, unit: ''});
    const table = new SheetTable(this.app, {
      title: 'Events of the trace in this part of the run', captions, notes,
      columns: [column('tottime', 'tottime', 'time'), column('cumtime', 'cumtime', 'time'), column('calls', 'calls', 'count'),
                column('kind', 'kind', 'text'), column('name', 'name', 'text')],
      rows: this.sums(from, to).map(sum => ({cells: [sum.self, sum.all, sum.calls, sum.kind, sum.name]}))
    }, {tools: true});
    this.element.replaceChildren(table.element);
  }
}
