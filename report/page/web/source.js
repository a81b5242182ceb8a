// Source, with the figures of its lines beside it.

// Of the user's own code: what is charged to the line, and of the CPU time what the line itself took. Of other code the
// line's own.
const SELF = 'of the line itself, without what it calls in libraries';
const OWN_COLUMNS = [
  ['own_cpu_ns', 'CPU', 'time'], ['own_blocked_ns', 'waiting', 'time'], ['own_gpu_ns', 'GPU', 'time'],
  ['own_allocated_bytes', 'allocated', 'bytes'], ['own_peak_bytes', 'peak', 'bytes'], ['own_copied_bytes', 'copied', 'bytes'],
  ['python_ns', 'Python', 'time', SELF], ['native_ns', 'native', 'time', SELF],
  ['cumulative_ns', 'with callees', 'time', 'CPU time of all stacks that the line is on, your own functions included']
];
const OTHER_COLUMNS = [
  ['python_ns', 'CPU Python', 'time'], ['native_ns', 'CPU native', 'time'], ['cumulative_ns', 'CPU with callees', 'time'],
  ['blocked_ns', 'waiting', 'time'], ['gpu_ns', 'GPU', 'time'], ['allocated_bytes', 'allocated', 'bytes'],
  ['peak_bytes', 'peak', 'bytes'], ['copied_bytes', 'copied', 'bytes']
];
const HOT = [['own_cpu_ns', 'own_blocked_ns', 'own_gpu_ns'], ['python_ns', 'native_ns', 'blocked_ns', 'gpu_ns']];  // in the minimap

class SourceView {
  constructor(app) {
    this.app = app;
    this.files = new Map(app.bundle.header.source.map(file => [app.bundle.string(file.file), file]));
    this.choice = el('select', {'aria-label': 'file', on: {change: () => app.change({file: this.choice.value, line: ''})}});
    this.choice.append(...[...this.files].map(([name, file]) => el('option', {value: name},
      name + (file.text ? '' : ' (no source here)'))));
    this.note = el('span', {class: 'quiet'});
    this.table = el('div', {class: 'scroll source'});
    this.map = el('canvas', {class: 'minimap', title: 'hot lines', width: '24', height: '600', on: {click: event => this.jump(event)}});
    this.element = el('section', {}, el('div', {class: 'bar'}, this.choice, this.note),
                      el('div', {class: 'split'}, this.table, this.map));
  }

  // Whether there is source of a file, or figures of its lines.
  has(name) {
    return this.files.has(name);
  }

  show() {
    const names = [...this.files.keys()];
    const name = this.has(this.app.state.file) ? this.app.state.file : names.find(one => this.files.get(one).text) ?? names[0];
    if (name === undefined) {
      this.element.replaceChildren(el('p', {}, 'No lines of source are known of this run.'));
      return;
    }
    this.choice.value = name;
    if (name !== this.shown) this.fill(name);
    this.shown = name;
    const line = this.app.state.line, row = line ? this.table.querySelector(`[data-line="${Number(line)}"]`) : null;
    for (const old of this.table.querySelectorAll('.here')) old.classList.remove('here');
    if (row) {
      row.classList.add('here');
      row.scrollIntoView({block: 'center'});
    }
  }

  fill(name) {
    const file = this.files.get(name), figures = {};
    for (const [key, id] of Object.entries(file.figures)) figures[key] = this.app.bundle.column(id);
    const numbers = figures.line ?? [], at = new Map();
    for (let i = 0; i < numbers.length; ++i) {
      if (!at.has(numbers[i])) at.set(numbers[i], []);
      at.get(numbers[i]).push(i);
    }
    const columns = (file.own ? OWN_COLUMNS : OTHER_COLUMNS).filter(([key]) => figures[key]);
    const value = (key, line) => (at.get(line) ?? []).reduce((sum, i) => sum + figures[key][i], 0);
    const lines = file.text ? file.text.map((text, i) => [i + 1, text]) : [...at.keys()].sort((a, b) => a - b).map(line => [line, '']);
    const largest = columns.map(([key]) => lines.reduce((most, [line]) => Math.max(most, value(key, line)), 0));
    const units = columns.map(([, , kind], i) => unitFor(kind, largest[i]));
    const head = el('tr', {}, el('th', {class: 'number'}, 'line'), ...columns.map(([, title, , tip], i) =>
      el('th', {class: 'number', title: tip ?? ''}, title, el('span', {class: 'unit'}, units[i][0]))), el('th', {}, ''));
    const rows = lines.map(([line, text]) => el('tr', {data: {line: String(line)}},
      el('td', {class: 'number'}, el('a', {href: this.app.link({tab: 'source', file: name, line: String(line)})}, String(line))),
      ...columns.map(([key, , kind], i) => {
        const amountOf = value(key, line);
        const cell = el('td', {class: 'number', data: {value: String(amountOf)}}, amountOf === 0 ? '' : inUnit(amountOf, kind, units[i]));
        cell.style.setProperty('--heat', (largest[i] > 0 ? Math.round(70 * amountOf / largest[i]) : 0) + '%');
        return cell;
      }),
      el('td', {class: 'code'}, text)));
    this.table.replaceChildren(el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows)));
    const notes = [];
    if (!file.text) notes.push('The source is not in this page, only lines with figures are: prof view --source-root DIR adds what is below a folder.');
    if (file.newer) notes.push('The file changed after the run began: lines may have moved.');
    this.note.textContent = notes.join(' ');
    this.drawMap(lines, line => HOT[file.own ? 0 : 1].reduce((sum, key) => sum + (figures[key] ? value(key, line) : 0), 0));
  }

  drawMap(lines, weight) {
    const context = this.map.getContext('2d'), height = this.map.height, width = this.map.width;
    context.clearRect(0, 0, width, height);
    const weights = lines.map(([line]) => weight(line)), most = Math.max(...weights, 1);
    this.mapped = lines;
    weights.forEach((one, i) => {
      if (one <= 0) return;
      context.fillStyle = `hsl(12 90% ${85 - 45 * Math.sqrt(one / most)}%)`;
      context.fillRect(0, i / lines.length * height, width, Math.max(2, height / lines.length));
    });
  }

  jump(event) {
    const box = this.map.getBoundingClientRect(), share = (event.clientY - box.top) / box.height;
    if (!this.mapped || this.mapped.length === 0) return;
    const line = this.mapped[Math.max(0, Math.min(this.mapped.length - 1, Math.floor(share * this.mapped.length)))][0];
    this.app.change({line: String(line)}, true);
  }
}
