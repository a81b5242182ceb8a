// What happened when: tracks that share one axis, of which a part can be chosen.

const PROCESS_ROW = 14, MOST_ROWS = 120;
const PART_COLOURS = {
  data: '#d97706', copy: '#8d6e63', forward: '#7c3aed', backward: '#3b7dd8', optimizer: '#0f9d58', communication: '#c2185b',
  evaluation: '#26a69a', other: '#90a4ae'
};

class TimeView {
  constructor(app) {
    this.app = app;
    this.time = app.bundle.header.time;
    this.end = Math.max(this.time.wall_ns, 1);
    const column = id => app.bundle.column(id);
    const columns = from => Object.fromEntries(Object.entries(from ?? {}).map(([name, id]) => [name, column(id)]));
    this.processes = this.time.processes.map(process => ({
      ...process, label: app.bundle.string(process.name), series: columns(process.series), imports: columns(process.imports),
      devices: (process.devices ?? []).map(device => ({device: device.device, ...columns(device.series)}))
    }));
    this.leaks = this.time.leaks.map(leak => ({...leak, site: app.bundle.string(leak.site), values: column(leak.values)}));
    this.steps = this.time.steps.map(table => ({...table, records: columns(table.records)}));
    this.told = el('div', {class: 'told', role: 'status'});
    this.trace = new Trace(app);
    this.tracks = this.makeTracks();
    this.element = el('section', {class: 'timeview'},
      el('div', {class: 'bar'},
        el('span', {class: 'quiet'}, 'Drag over a track to look at a part of the run.'),
        el('button', {type: 'button', on: {click: () => app.change({t0: '', t1: ''})}}, 'whole run')),
      this.told, ...this.tracks.map(track => track.element), this.trace.element);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  get from() {
    const value = Math.round(Number(this.app.state.t0));
    return this.app.state.t0 !== '' && value >= 0 && value < this.end ? value : 0;
  }
  get to() {
    const value = Math.round(Number(this.app.state.t1));
    return this.app.state.t1 !== '' && value > this.from ? Math.min(value, this.end) : this.end;
  }

  makeTracks() {
    const out = [new Track(this, 'time', 22, (context, x, width, height) => this.drawAxis(context, x, width, height))];
    const seen = seenTrack(this);
    if (seen) out.push(seen);
    for (const table of this.steps) {
      const title = 'steps of ' + (table.rank === null ? 'pid ' + table.pid : 'rank ' + table.rank);
      out.push(new Track(this, title, 56, (...args) => this.drawSteps(table, ...args), time => this.stepAt(table, time)));
      out[out.length - 1].element.firstChild.append(...this.partsKey(table));
    }
    const any = name => this.processes.some(process => process.series[name]);
    if (any('rss')) out.push(rssTrack(this, 'resident memory (RSS)' + this.several + (this.several ? ', pages that they share in each' : '')));
    this.leakTracks = this.leaks.map(leak => new LeakTrack(this, leak));
    out.push(...this.leakTracks, ...leaksLeftOut(this));
    if (any('heap')) out.push(this.levels('blocks of malloc', 'heap', 'bytes', '#0f9d58'));
    if (any('python')) out.push(this.levels('Python objects', 'python', 'bytes', '#7c3aed'));
    if (any('cpu')) out.push(this.levels('processors busy', 'cpu', 'rate', '#d97706'));
    const devices = this.processes.flatMap(process => process.devices);
    for (const number of [...new Set(devices.map(device => device.device))]) {
      const of = devices.filter(device => device.device === number);
      if (of.some(device => device.used)) out.push(this.deviceTrack(of, number, 'used', 'memory', 'bytes'));
      if (of.some(device => device.busy)) out.push(this.deviceTrack(of, number, 'busy', 'busy', 'percent'));
    }
    const shown = this.heaviest(), all = this.time.all_processes;
    out.push(new Track(this, 'processes' + (all > shown.length ? ` (the ${shown.length} of ${grouped(all)} with the most CPU time)` : ''),
                       shown.length * PROCESS_ROW + 4, (...args) => this.drawProcesses(shown, ...args),
                       (time, y) => this.processAt(shown[Math.floor(y / PROCESS_ROW)])));
    const imports = this.processes.filter(one => one.imports.begin).slice(0, 8).map(process => this.importTrack(process));
    return [...out, ...this.trace.tracks(this), ...imports];
  }

  // Those that took the most CPU time, and who made them, in the order of the tree.
  heaviest() {
    const by = new Map(this.processes.map(process => [process.index, process])), kept = new Set();
    const heavy = [...this.processes].sort((a, b) => b.cpu_ns - a.cpu_ns);
    for (const one of heavy.slice(0, MOST_ROWS / 2)) kept.add(one);
    for (const one of heavy) {
      for (let at = one; at && kept.size < MOST_ROWS; at = by.get(at.parent)) kept.add(at);
    }
    return this.processes.filter(process => kept.has(process));
  }

  show() {
    this.draw();
    this.tell();
  }

  draw() {
    if (this.element.isConnected) for (const track of this.tracks) track.paint();
  }

  drawAxis(context, x, width, height) {
    const span = this.to - this.from, raw = span / Math.max(2, width / 110);
    const power = 10 ** Math.floor(Math.log10(raw)), step = Math.max(1, [1, 2, 5, 10].map(m => m * power).find(s => s >= raw));
    const [name, size] = unitFor('time', this.to), decimals = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
    context.fillStyle = this.app.ink;
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      context.fillRect(x(t), height - 6, 1, 6);
      if (x(t) + 50 < width || t === 0) context.fillText(t === 0 ? '0' : `${(t / size).toFixed(decimals)} ${name}`, x(t) + 3, height - 9);
    }
  }

  drawSteps(table, context, x, width, height) {
    const {begin, end, ns, count} = table.records;
    if (!begin) return;
    const parts = this.partsOf(table);
    const each = i => ns[i] / Math.max(1, count[i]);
    let most = 1;
    for (let i = 0; i < begin.length; ++i) if (end[i] >= this.from && begin[i] <= this.to) most = Math.max(most, each(i));
    for (let i = 0; i < begin.length; ++i) {
      if (end[i] < this.from || begin[i] > this.to) continue;
      const left = x(begin[i]), wide = Math.max(1, x(end[i]) - left - (x(end[i]) - left > 4 ? 1 : 0));
      let y = height;
      parts.forEach(name => {
        const high = each(i) / most * height * (table.records[name][i] / Math.max(1, ns[i]));
        context.fillStyle = PART_COLOURS[name];
        context.fillRect(left, y - high, wide, high);
        y -= high;
      });
    }
    context.fillStyle = this.app.dark ? '#ff8a80' : '#b00020';
    for (const outlier of table.outliers) {
      const i = this.recordOf(table, outlier.step);
      if (i >= 0) context.fillRect(x(begin[i]), 0, Math.max(2, x(end[i]) - x(begin[i])), 3);
    }
  }

  partsOf(table) {
    return Object.keys(PART_COLOURS).filter(name => table.records[name]);
  }

  // The parts of a step, each with its colour.
  partsKey(table) {
    return this.partsOf(table).flatMap(name => [swatch(PART_COLOURS[name]), name]);
  }

  recordOf(table, step) {
    const {first, count} = table.records;
    for (let i = 0; first && i < first.length; ++i) if (step >= first[i] && step < first[i] + count[i]) return i;
    return -1;
  }

  stepAt(table, time) {
    const {begin, end, first, count, ns, longest} = table.records;
    for (let i = 0; begin && i < begin.length; ++i) {
      if (time < begin[i] || time > end[i]) continue;
      const rows = [[count[i] > 1 ? `steps ${first[i]} to ${first[i] + count[i] - 1}` : `step ${first[i]}`, amount(ns[i] / count[i], 'time') + (count[i] > 1 ? ' each' : '')]];
      if (count[i] > 1) rows.push(['longest', amount(longest?.[i] ?? 0, 'time')]);
      for (const [name, values] of Object.entries(table.records)) {
        if (!['first', 'count', 'begin', 'end', 'ns', 'longest'].includes(name) && values[i] > 0) rows.push([name, percent(values[i], ns[i])]);
      }
      return rows;
    }
    return null;
  }

  // The value of a series at a time; of "cpu" how fast it grew there.
  valueAt(process, name, time) {
    const {end} = process.series, values = process.series[name];
    if (time < process.begin || time > process.end) return 0;
    // Of one that lived too shortly for a look at it, what it took on average.
    if (name === 'cpu' && !(end && values)) return process.cpu_ns / Math.max(1, process.end - process.begin);
    if (!end || !values) return 0;
    let low = 0, high = end.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[middle] <= time) low = middle + 1;
      else high = middle;
    }
    const i = Math.min(low, end.length - 1);
    if (name !== 'cpu') return values[i];
    const span = end[i] - (i > 0 ? end[i - 1] : process.begin);
    return span > 0 ? (values[i] - (i > 0 ? values[i - 1] : 0)) / span : 0;
  }

  sumAt(name, time) {
    const sum = this.processes.reduce((all, process) => all + this.valueAt(process, name, time), 0);
    // Clocks are read a little later than times: in a moment, more CPU time than there can be.
    return name === 'cpu' ? Math.min(sum, this.time.cpus ?? Infinity) : sum;
  }

  get several() {
    return this.processes.length > 1 ? ', all processes' : '';
  }

  levels(title, name, kind, colour) {
    return new Track(this, title + this.several, 64, (context, x, width, height) => {
      this.areas(context, width, height, [colour], kind, time => [this.sumAt(name, time)], this.looks(name));
    }, time => [[title, kind === 'rate' ? this.sumAt(name, time).toFixed(2) : amount(this.sumAt(name, time), kind)]]);
  }

  deviceTrack(devices, number, name, title, kind) {
    const at = time => Math.max(0, ...devices.map(device => {
      const i = device.end ? device.end.findIndex(end => end > time) : -1;
      return i < 0 ? 0 : device[name]?.[i] ?? 0;
    }));
    const text = value => kind === 'percent' ? value.toFixed(0) + ' %' : amount(value, kind);
    return new Track(this, `GPU ${number}: ${title}`, 48, (context, x, width, height) =>
      this.areas(context, width, height, ['#0f9d58'], kind, time => [at(time)]), time => [[title, text(at(time))]]);
  }

  // The times at which there was a look, of the part that is shown: between them nothing is higher.
  looks(name) {
    if (name === 'cpu') return [];
    const ends = this.processes.flatMap(process => process.series[name] ? [...process.series.end] : []);
    return ends.length > 20000 ? [] : ends.map(end => end - 1).filter(end => end >= this.from && end <= this.to);
  }

  // Levels above one another. `colours`: of each, from below; at(time): their values.
  areas(context, width, height, colours, kind, at, looks = []) {
    const pixels = Math.max(1, Math.floor(width)), sum = values => values.reduce((all, value) => all + value, 0);
    const columns = Array.from({length: pixels}, (_, i) => at(this.from + (i + 0.5) / pixels * (this.to - this.from)));
    const most = [...columns, ...looks.map(at)].reduce((all, values) => Math.max(all, sum(values)), 0);
    context.globalAlpha = 0.55;
    columns.forEach((values, i) => {
      let y = height;
      values.forEach((value, layer) => {
        const high = most > 0 ? value / most * (height - 14) : 0;
        context.fillStyle = colours[layer];
        context.fillRect(i, y - high, 1, high);
        y -= high;
      });
    });
    context.globalAlpha = 1;
    context.fillStyle = this.app.ink;
    const top = kind === 'rate' ? most.toFixed(2) : kind === 'percent' ? most.toFixed(0) + ' %' : amount(most, kind);
    context.fillText('highest seen: ' + top, 4, 8);
  }

  drawProcesses(processes, context, x, width) {
    processes.forEach((process, i) => {
      const left = Math.max(0, x(process.begin)), right = x(process.end), y = i * PROCESS_ROW + 2;
      if (right < 0) return;
      const busy = process.cpu_ns / Math.max(1, process.end - process.begin);
      context.fillStyle = `hsl(212 ${25 + Math.min(60, 60 * busy)}% ${this.app.dark ? 40 : 70}%)`;
      context.fillRect(left, y, Math.max(1, right - left), PROCESS_ROW - 2);
      context.fillStyle = this.app.ink;
      const text = '\u00b7 '.repeat(Math.min(process.depth, 30)) + `${process.label} (${process.pid})`;
      const long = context.measureText(text).width;  // at the right edge it stands before the bar
      context.fillText(text, left + 4 + long > width && left > long + 4 ? left - 4 - long : left + 4, y + 6);
    });
  }

  processAt(process) {
    if (!process) return null;
    return [[process.label, 'pid ' + process.pid], ['began', amount(process.begin, 'time')],
            ['lived', amount(process.end - process.begin, 'time')], ['CPU time', amount(process.cpu_ns, 'time')],
            ['ended', process.ending]];
  }

  // Text that ends where its block does.
  write(context, text, left, y, right) {
    context.fillStyle = this.app.ink;
    context.save();
    context.beginPath();
    context.rect(left, y, right - left, SPAN_HEIGHT);
    context.clip();
    context.fillText(text, left + 2, y + 6);
    context.restore();
  }

  importTrack(process) {
    const {begin, total, depth, name, self} = process.imports, label = i => this.app.bundle.string(name[i]);
    return spanTrack(this, 'imports of pid ' + process.pid, {begin, ns: total, depth: depth ?? begin.map(() => 0), label}, i =>
      [[label(i), ''], ['with what it imports', amount(total[i], 'time')], ['itself', amount(self?.[i] ?? 0, 'time')]]);
  }

  // What happened in the part that is chosen.
  tell() {
    const {from, to} = this, words = [`${from > 0 ? amount(from, 'time') : '0'} to ${amount(to, 'time')} of ${amount(this.end, 'time')}`];
    for (const table of this.steps) {
      const {begin, end, ns, count} = table.records;
      let steps = 0, sum = 0;
      for (let i = 0; begin && i < begin.length; ++i) {
        if (begin[i] < from || end[i] > to) continue;
        steps += count[i];
        sum += ns[i];
      }
      if (steps > 0) words.push(`${grouped(steps)} whole steps of pid ${table.pid}, ${amount(sum / steps, 'time')} each on average`);
    }
    const alive = this.processes.filter(process => process.begin < to && process.end > from).length;
    if (this.processes.length === this.time.all_processes) words.push(`${grouped(alive)} ${alive === 1 ? 'process' : 'processes'} lived then`);
    const rss = [this.sumAt('rss', from + 1), this.sumAt('rss', to - 1)];
    if (rss[0] > 0 && rss[1] > 0) words.push(`RSS ${amount(rss[0], 'bytes')} at its begin, ${amount(rss[1], 'bytes')} at its end`);
    for (const track of this.leakTracks) track.tell(from, to);
    this.told.textContent = words.join('; ') + '.';
    this.trace.tell(from, to);
  }
}

// One canvas below its title.
class Track {
  constructor(view, title, height, draw, hover = null) {
    this.view = view;
    this.height = height;
    this.drawing = draw;
    this.hovering = hover;
    this.canvas = el('canvas', {
      'aria-label': title, role: 'img',
      on: {
        pointerdown: event => this.down(event), pointermove: event => this.move(event), pointerup: event => this.up(event),
        pointerleave: () => view.app.tip(null)
      }
    });
    this.element = el('figure', {}, el('figcaption', {}, title), this.canvas);
  }

  paint() {
    const width = Math.max(50, this.element.clientWidth), ratio = window.devicePixelRatio || 1, view = this.view;
    this.width = width;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = this.height + 'px';
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11px ' + getComputedStyle(document.body).fontFamily;
    context.textBaseline = 'middle';
    const x = time => (time - view.from) / (view.to - view.from) * width;
    this.drawing(context, x, width, this.height);
    if (this.drag !== undefined) {
      context.fillStyle = 'rgba(120, 150, 255, 0.3)';
      context.fillRect(Math.min(this.drag, this.now), 0, Math.abs(this.now - this.drag), this.height);
    }
  }

  timeAt(x) {
    return this.view.from + x / this.width * (this.view.to - this.view.from);
  }

  down(event) {
    this.drag = this.now = event.offsetX;
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (this.drag !== undefined) {
      this.now = event.offsetX;
      this.paint();
      return;
    }
    const rows = this.hovering?.(this.timeAt(event.offsetX), event.offsetY);
    this.view.app.tip(rows ? event : null, [...(rows ?? []), ['at', amount(this.timeAt(event.offsetX), 'time')]]);
  }

  up(event) {
    const [from, to] = [Math.min(this.drag, this.now), Math.max(this.drag, this.now)];
    this.drag = undefined;
    const [t0, t1] = [from, to].map(x => Math.round(Math.max(0, this.timeAt(x))));
    if (to - from < 4 || t0 === t1) this.paint(), this.clicked?.(event.offsetY);
    else this.view.app.change({t0: String(t0), t1: String(t1)});
  }
}
