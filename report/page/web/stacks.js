// The stacks of the run: one tree, and of each part of the run (process, thread) its figures.

const OWN = 1, INLINED = 2, SPECIAL = 4, INTERPRETER = 8;  // as report/page/stack_columns.cpp has them
const LANGUAGES = ['native', 'python', 'api', 'gpu', 'range', 'operator', 'wait', 'task'];
const PYTHON = 1, RANGE = 4, TASK = 7;

class Stacks {
  constructor(bundle) {
    const header = bundle.header.stacks;
    this.bundle = bundle;
    this.header = header;
    const steps = bundle.column(header.parent);
    this.count = steps.length;
    this.parent = Int32Array.from(steps, (step, node) => node - step);
    this.place = Int32Array.from(bundle.column(header.place));
    this.leftOut = bundle.column(header.left_out);
    this.places = {
      function: Int32Array.from(bundle.column(header.places.function)), line: bundle.column(header.places.line),
      file: bundle.column(header.places.file), flags: bundle.column(header.places.flags)
    };
    this.functions = {};
    for (const [name, id] of Object.entries(header.places.functions)) this.functions[name] = bundle.column(id);
    this.parts = header.parts;
    this.metrics = this.findMetrics();
    this.byName = new Map();
    for (let id = 0; id < this.functionCount; ++id) {
      for (const name of [this.name(id), this.wholeName(id)]) {
        if (!this.byName.has(name)) this.byName.set(name, []);
        if (!this.byName.get(name).includes(id)) this.byName.get(name).push(id);
      }
    }
  }

  // The function of that name; of several the one whose file or module the texts name; undefined where that is not clear.
  named(name, beside = []) {
    const ids = this.byName.get(name) ?? [];
    if (ids.length < 2) return ids[0];
    const fits = ids.filter(id => beside.some(text => [this.file(id), this.module(id)].some(file =>
      file !== '' && (text === file || text.startsWith(file + ':') || text.startsWith(file + '(')))));
    return fits.length === 1 ? fits[0] : undefined;
  }

  get functionCount() {
    return this.functions.name.length;
  }
  name(id) {
    return this.bundle.string(this.functions.name[id]);
  }
  // A module's own code is called alike in all of them.
  title(id) {
    const name = this.name(id);
    return name === '<module>' ? name + ' ' + this.file(id).split('/').slice(-2).join('/') : name;
  }
  wholeName(id) {
    return this.bundle.string(this.functions.whole[id]);
  }
  file(id) {
    return this.bundle.string(this.functions.file[id]);
  }
  module(id) {
    return this.bundle.string(this.functions.module[id]);
  }
  language(id) {
    return LANGUAGES[this.functions.language[id]];
  }
  is(id, flag) {
    return (this.functions.flags[id] & flag) !== 0;
  }

  // "train.py:42": where a function's code is; of a place in it the line that ran.
  where(id, place = -1) {
    let file = this.file(id), line = this.functions.line[id];
    if (place >= 0) {
      if (this.places.file[place] >= 0) file = this.bundle.string(this.places.file[place]);
      if (this.places.line[place] > 0) line = this.places.line[place];
    }
    if (file === '') return this.module(id);
    return line > 0 ? file + ':' + line : file;
  }

  // What can be drawn: what was recorded, and what follows from it.
  findMetrics() {
    const measures = this.header.measures;
    const at = name => measures.findIndex(measure => measure.name === name);
    const out = measures.map((measure, i) => ({
      name: measure.name, title: measure.noun, kind: measure.kind, level: measure.level, add: [i]
    }));
    const cpu = at('cpu'), blocked = at('blocked'), idle = measures.length;
    const first = [];
    if (cpu >= 0 && blocked >= 0)
      first.push({name: 'wall', title: 'wall time (CPU and blocked)', kind: 'time', add: [cpu, blocked]});
    if (cpu >= 0 && blocked >= 0)
      first.push({name: 'busy', title: 'wall time without idle threads', kind: 'time', add: [cpu, blocked],
                  less: idle});
    if (blocked >= 0) {
      first.push({name: 'waiting', title: 'blocked time without idle threads', kind: 'time', add: [blocked],
                  less: idle});
      this.header.waits.forEach((wait, i) => out.push({
        name: 'blocked-' + wait, title: 'blocked: ' + wait, kind: 'time', add: [blocked], wait: i
      }));
    }
    return [...out.filter(metric => metric.name === 'cpu'), ...first, ...out.filter(metric => metric.name !== 'cpu')]
      .filter(metric => this.total(metric) !== 0);
  }

  partsOf(choice) {
    const processes = this.parts.filter(part => !part.thread);
    if (choice.startsWith('rank:')) return processes.filter(part => String(part.rank) === choice.slice(5));
    const chosen = this.parts[Number(choice)];
    return choice !== '' && chosen ? [chosen] : processes;
  }

  // Calls each(node, value) of what a metric's columns hold; values of a node may come in several calls.
  eachValue(metric, parts, each) {
    const one = (part, measure, sign) => {
      if (!part.own[measure]) return;
      const [steps, values] = part.own[measure].map(id => this.bundle.column(id));
      for (let i = 0, node = 0; i < steps.length; ++i) {
        node += steps[i];
        if (metric.wait === undefined || this.waitOf(node) === metric.wait) each(node, sign * values[i]);
      }
    };
    for (const part of parts) {
      for (const measure of metric.add) one(part, measure, 1);
      if (metric.less !== undefined) one(part, metric.less, -1);
    }
  }

  waitOf(node) {
    const place = this.place[node];
    return place < 0 ? -1 : this.functions.wait[this.places.function[place]];
  }

  // Of the nodes that `inside` has (all, without it). Waiting is an estimate less another, and never less than nothing.
  total(metric, parts = this.partsOf(''), inside = null) {
    const sum = one => {
      let all = 0;
      this.eachValue({...metric, ...one}, parts, (node, value) => {
        if (inside === null || inside[node]) all += value;
      });
      return all;
    };
    if (metric.kind !== 'time' || metric.add.length < 2) return Math.max(0, sum({}));
    return sum({add: metric.add.slice(0, 1), less: undefined}) + Math.max(0, sum({add: metric.add.slice(1)}));
  }

  // By node, its own value and that with all below it.
  values(metric, parts) {
    const own = new Float64Array(this.count);
    this.eachValue(metric, parts, (node, value) => own[node] += value);
    const all = Float64Array.from(own);
    for (let node = this.count; --node > 0;) all[this.parent[node]] += all[node];
    return {own, all};
  }

  // The functions that a text means: part of a name or a file, "train.py:42", or a /regular expression/.
  matches(text) {
    const found = new Uint8Array(this.functionCount);
    const lines = new Set();
    let test;
    const expression = /^\/(.+)\/$/.exec(text);
    const place = /^(.+\.\w+):(\d+)$/.exec(text);
    if (expression) {
      try {
        const regex = new RegExp(expression[1], 'i');
        test = words => regex.test(words);
      } catch {
        return {found, lines, bad: true};
      }
    } else {
      const wanted = (place ? place[1] : text).toLowerCase();
      test = words => words.toLowerCase().includes(wanted);
    }
    for (let id = 0; id < this.functionCount; ++id) {
      if (place ? test(this.file(id)) : test(this.wholeName(id)) || test(this.file(id)) || test(this.module(id)))
        found[id] = 1;
    }
    if (place) {
      for (let i = 0; i < this.places.line.length; ++i) {
        if (found[this.places.function[i]] && this.places.line[i] === Number(place[2])) lines.add(i);
      }
      found.fill(0);
      for (const i of lines) found[this.places.function[i]] = 1;
    }
    return {found, lines: place ? lines : null};
  }
}
