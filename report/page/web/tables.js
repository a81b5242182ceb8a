// Sheets as tables that can be sorted, filtered and copied.

const FIRST_ROWS = 100;
const NAMES = ['name', 'function', 'your line', 'kernel', 'site', 'command'];  // columns that say what a row is of

class SheetTable {
  // `options`: {filter: whether there is a field for it, state and change: where the order is kept}
  constructor(app, sheet, options = {}) {
    this.app = app;
    this.sheet = sheet;
    this.options = options;
    this.more = false;     // columns that are there for other programs
    this.limit = FIRST_ROWS;
    this.order = null;     // [column, whether the largest is first]
    this.filter = '';
    this.filled = sheet.columns.map((_, i) => sheet.rows.some(row => row.cells[i] !== null && row.cells[i] !== ''));
    this.element = el('div', {class: 'sheet'});
    this.body = el('tbody');
    this.build();
  }

  build() {
    const {sheet} = this, parts = [];
    if (sheet.title) parts.push(el('h3', {}, sheet.title));
    for (const caption of sheet.captions) parts.push(el('p', {class: 'quiet'}, caption));
    if (this.options.tools) {
      const filter = el('input', {type: 'search', placeholder: 'filter rows', 'aria-label': 'filter rows',
                                  on: {input: () => { this.filter = filter.value; this.fill(); }}});
      const more = el('input', {type: 'checkbox', on: {change: () => { this.more = more.checked; this.fillAll(); }}});
      parts.push(el('div', {class: 'bar'}, filter,
        sheet.columns.some(column => column.more) ? el('label', {}, more, ' all columns') : '',
        el('button', {type: 'button', on: {click: event => this.copy(event.target)}}, 'copy as CSV'),
        this.count = el('span', {class: 'quiet', role: 'status'})));
    }
    this.head = el('thead');
    parts.push(el('div', {class: 'scroll'}, el('table', {}, this.head, this.body)));
    this.rest = el('p');
    parts.push(this.rest);
    for (const note of sheet.notes) parts.push(el('p', {class: 'quiet'}, note));
    this.element.replaceChildren(...parts);
    this.fillAll();
  }

  // What a row is of comes first, so that it stays in sight when the others scroll. What is known of no row is one of
  // the columns that are there for other programs.
  get columns() {
    const shown = this.sheet.columns.map((column, i) => ({...column, i})).filter(({more, i}) =>
      this.more || !more && this.filled[i]);
    const first = shown.find(column => NAMES.includes(column.key)) ?? shown.find(column => column.kind === 'text');
    return first ? [first, ...shown.filter(column => column !== first)] : shown;
  }

  fillAll() {
    const most = this.sheet.columns.map((_, i) => this.sheet.rows.reduce((m, row) => Math.max(m, Math.abs(Number(row.cells[i]) || 0)), 0));
    const times = Math.max(0, ...most.filter((_, i) => this.sheet.columns[i].kind === 'time' && !this.sheet.columns[i].more));
    this.units = this.sheet.columns.map((column, i) =>
      unitFor(column.kind, column.kind === 'time' && this.sheet.one_time_unit ? times : most[i]));
    this.head.replaceChildren(el('tr', {}, ...this.columns.map(column => {
      const numeric = column.kind !== 'text', unit = column.unit || (column.each ? '' : this.units[column.i][0]);
      const sorted = this.order && this.order[0] === column.i ? (this.order[1] ? 'descending' : 'ascending') : 'none';
      return el('th', {class: numeric ? 'number' : '', 'aria-sort': sorted, scope: 'col'},
        el('button', {type: 'button', title: column.key, on: {click: () => this.sort(column.i)}},
           column.title + (sorted === 'none' ? '' : sorted === 'descending' ? ' \u25be' : ' \u25b4')),
        el('span', {class: 'unit'}, column.kind === 'share' && !column.unit ? '' : unit));
    })));
    this.fill();
  }

  sort(column) {
    const largest = this.sheet.columns[column].kind !== 'text';
    this.order = this.order && this.order[0] === column ? [column, !this.order[1]] : [column, largest];
    this.fillAll();
  }

  rows() {
    const wanted = this.filter.toLowerCase(), columns = this.columns;
    let rows = this.sheet.rows;
    if (wanted !== '') rows = rows.filter(row => columns.some(({i}) => String(row.cells[i] ?? '').toLowerCase().includes(wanted)));
    if (this.order) {
      const [column, largest] = this.order, sign = largest ? -1 : 1;
      const rank = cell => cell === null || cell === '' ? null : cell;
      rows = [...rows].sort((a, b) => {
        const x = rank(a.cells[column]), y = rank(b.cells[column]);
        if (x === null || y === null) return (x === null) - (y === null);
        return sign * (typeof x === 'string' ? x.localeCompare(String(y), undefined, {numeric: true}) : x - y);
      });
    }
    return rows;
  }

  fill() {
    const rows = this.rows();
    this.body.replaceChildren(...rows.slice(0, this.limit).flatMap(row => this.row(row)));
    if (this.count) this.count.textContent = rows.length === this.sheet.rows.length ? grouped(rows.length) + (rows.length === 1 ? ' row' : ' rows')
      : grouped(rows.length) + ' of ' + grouped(this.sheet.rows.length) + ' rows';
    this.rest.replaceChildren(...(rows.length > this.limit ? [el('button', {
      type: 'button', on: {click: () => { this.limit = Infinity; this.fill(); }}
    }, 'show all ' + grouped(rows.length) + ' rows')] : []));
  }

  row(row) {
    const columns = this.columns;
    const out = [el('tr', {class: row.strong ? 'strong' : row.faint ? 'faint' : ''},
      ...columns.map(column => this.cell(row, column)))];
    if (row.below) out.push(el('tr', {class: 'below'}, el('td', {colspan: String(columns.length)}, row.below)));
    return out;
  }

  cell(row, column) {
    const value = row.cells[column.i];
    if (column.kind === 'text') return el('td', {}, ...this.linked(row, column, value));
    if (value === null) return el('td', {class: 'number quiet'}, '-');
    if (typeof value === 'string') return el('td', {class: 'number'}, value);  // calls, and those that were not by itself: 8/2
    return el('td', {class: 'number', data: {value: String(value)}, title: column.kind === 'share' ? '' : grouped(value) + ' ' + rawUnit(column.kind)},
              this.number(value, column));
  }

  number(value, column) {
    if (column.kind === 'share') return percent(value, 1).replace(' %', '');
    if (column.kind === 'flag') return value ? 'yes' : '';
    if (column.each) return amount(value, column.kind);
    return inUnit(value, column.kind, this.units[column.i]);
  }

  // A function leads to the flame graph, a line of a file to its source.
  linked(row, column, value) {
    if (value === null || value === '') return [''];
    const out = [], text = String(value);
    const id = this.functionOf(row, column, text);
    out.push(id === undefined ? text : el('a', {
      href: this.app.link({tab: 'flame', pivot: String(id), zoom: '', part: ''}), title: 'its callers and callees'
    }, text));
    if (this.namesPlace(column)) {
      const at = this.placeOf(row, text);
      if (at) out.push(' ', this.app.sourceLink(at[0], at[1], 'source'));
    }
    return out;
  }

  cellOf(row, key) {
    const i = this.sheet.columns.findIndex(column => column.key === key);
    return i < 0 ? undefined : row.cells[i];
  }

  functionOf(row, column, text) {
    if (!['name', 'function', 'kernel', 'place', 'your line', 'site', 'call'].includes(column.key)) return undefined;
    const names = [text, column.key === 'place' ? this.cellOf(row, 'function') : undefined];
    for (const name of names) {
      const id = typeof name === 'string' ? this.app.stacks.named(name, row.cells.filter(cell => typeof cell === 'string')) : undefined;
      if (id !== undefined) return id;
    }
    return undefined;
  }

  namesPlace(column) {
    return ['place', 'where', 'file', 'site', 'line'].includes(column.key);
  }

  placeOf(row, text) {
    const file = this.cellOf(row, 'file'), line = this.cellOf(row, 'line');
    if (typeof file === 'string' && this.app.source.has(file)) return [file, Number(line) || 0];
    const [name, number] = splitPlace(text.replace(/\s*\(.*$/, ''));
    return this.app.source.has(name) ? [name, number] : null;
  }

  async copy(button) {
    const quoted = value => /[",\n]/.test(value) ? '"' + value.replaceAll('"', '""') + '"' : value;
    const lines = [this.sheet.columns, ...this.rows()].map((row, i) =>
      (i === 0 ? row.map(column => column.key) : row.cells).map(cell => quoted(String(cell ?? ''))).join(','));
    button.textContent = await toClipboard(lines.join('\n') + '\n') ? 'copied' : 'the browser does not let it be copied';
    setTimeout(() => button.textContent = 'copy as CSV', 2000);
  }
}

function rawUnit(kind) {
  return {time: 'ns', bytes: 'bytes'}[kind] ?? '';
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el('textarea', {}, text);
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

class TablesView {
  constructor(app) {
    this.app = app;
    this.views = app.bundle.header.tables;
    this.list = el('nav', {class: 'list', 'aria-label': 'tables'});
    this.place = el('div', {class: 'grow'});
    this.element = el('section', {class: 'split tables'}, this.list, this.place);
    this.made = new Map();
  }

  show() {
    const view = this.views.find(one => one.view === this.app.state.view) ?? this.views.find(one => this.app.bundle.header.first.own !== null || one.view !== 'own') ?? this.views[0];
    this.list.replaceChildren(...this.views.map(one => el('a', {
      href: this.app.link({view: one.view}), title: one.help, 'aria-current': one === view ? 'page' : 'false'
    }, one.view)));
    if (!view) {
      this.place.replaceChildren(el('p', {}, 'There are no tables of this run.'));
      return;
    }
    if (!this.made.has(view)) {
      this.made.set(view, [el('p', {class: 'quiet'}, view.help),
                           ...view.sheets.map(sheet => new SheetTable(this.app, sheet, {tools: true}).element)]);
    }
    this.place.replaceChildren(...this.made.get(view));
  }
}
