// The first screen: what is wrong, and where time and memory went.

const BAR_COLOURS = ['#3b7dd8', '#b0bec5', '#8d6e63', '#26a69a', '#9ccc65', '#ffca28', '#cfd8dc', '#e53935', '#ab47bc', '#0f9d58',
                     '#ff8f00', '#e0e0e0', '#dcedc8'];

class FirstView {
  constructor(app) {
    this.app = app;
    this.first = app.bundle.header.first;
    this.element = el('section', {class: 'first'},
      this.facts(this.first.facts), this.findings(), ...this.tables(), this.bars(), this.facts(this.first.reservations), this.next());
  }

  // `fresh`: another part of the page was shown before. What changes else leaves the reader where he is.
  show(fresh) {
    const number = this.app.state.finding, asked = this.element.querySelector(`[data-number="${Number(number)}"]`);
    for (const one of this.element.querySelectorAll('.finding')) one.classList.toggle('here', one === asked);
    if (fresh || number !== this.asked) asked?.scrollIntoView();
    this.asked = number;
  }

  facts(facts) {
    return el('dl', {class: 'facts'}, ...facts.flatMap(fact => [
      el('dt', {class: fact.warning ? 'warning' : ''}, fact.label), el('dd', {}, ...this.linked(fact.text))
    ]));
  }

  // Views that a text names lead to their tables.
  linked(text) {
    return text.split(/((?:--view )?[a-z-]+)/).map((word, i) => {
      const name = word.replace('--view ', '');
      const known = i % 2 === 1 && (word !== name || text.includes('--view ')) && this.app.bundle.header.tables.some(one => one.view === name);
      return known && (word !== name || text.includes('# or:')) ? el('a', {href: this.app.link({tab: 'tables', view: name})}, word) : word;
    });
  }

  findings() {
    const {found, sentences, clear, unknown} = this.first.findings;
    const parts = [el('h2', {}, 'Findings'), ...found.map((finding, i) => this.finding(i + 1, finding)),
                   ...sentences.map(text => el('p', {}, ...this.linked(text)))];
    if (clear.length + unknown.length > 0) {
      parts.push(el('details', {}, el('summary', {class: 'quiet'}, 'what else was looked for'),
        el('p', {class: 'quiet'}, 'Looked for and not found: ' + clear.join('; ') + '.'),
        ...[...new Set(unknown.map(one => one.why))].map(why => el('p', {class: 'quiet'},
          'Not known, because ' + why + ': ' + unknown.filter(one => one.why === why).map(one => one.what).join('; ') + '.'))));
    }
    return el('div', {}, ...parts);
  }

  finding(number, finding) {
    const saves = finding.saves ? [': could save ', el('strong', {}, finding.saves), finding.bound] : [];
    const rows = [];
    for (const place of finding.places) {
      rows.push(['where', [this.place(place), place.source ? el('code', {}, place.source.trim()) : '']]);
      if (place === finding.places[0] && place.callers.length > 0)
        rows.push(['from', place.callers.flatMap((caller, i) => [i > 0 ? ' \u2190 ' : '', this.place(caller)])]);
    }
    rows.push(['seen', this.linked(finding.seen)], ['try', this.linked(finding.advice)]);
    if (finding.when.length > 0) rows.splice(-1, 0, ['when', [seenLink(this.app, finding.when)]]);
    return el('article', {class: 'finding', data: {rule: finding.rule, number}},
      el('h3', {}, `${number}. ${finding.title}`, ...saves),
      el('dl', {class: 'facts'}, ...rows.flatMap(([label, text]) => [el('dt', {}, label), el('dd', {}, ...text)])));
  }

  place(place) {
    if (this.app.source.has(place.file)) return this.app.sourceLink(place.file, place.line, place.text);
    const id = this.app.stacks.named(place.function, [place.file]);
    return id === undefined ? place.text
      : el('a', {href: this.app.link({tab: 'flame', pivot: String(id), zoom: '', part: ''})}, place.text);
  }

  tables() {
    const titles = [['kernels', 'Kernels by time on GPUs'], ['own', 'Your lines: CPU + blocked time by the innermost line of your own code'],
                    ['own_memory', 'Memory by the innermost line of your own code'], ['commands', 'Commands by CPU time'],
                    ['functions', 'Functions by CPU time of their own (tottime)']];
    return titles.filter(([key]) => this.first[key] !== null).map(([key, title]) =>
      el('div', {}, el('h2', {}, title), new SheetTable(this.app, this.first[key]).element));
  }

  bars() {
    const {names, rows, all} = this.first.bars;
    if (rows.length === 0) return '';
    const longest = Math.max(...rows.map(row => row.wall_ns), 1), many = new Set(rows.map(row => row.pid)).size > 1;
    const used = names.map((name, i) => rows.some(row => row.parts[i] > 0));
    const key = el('p', {class: 'key'}, ...names.flatMap((name, i) => used[i] ? [swatch(BAR_COLOURS[i]), name + '  '] : []));
    const bar = row => {
      const parts = row.parts.map((part, i) => {
        const one = el('span', {title: `${names[i]}: ${amount(part, 'time')}, ${percent(part, row.wall_ns)}`});
        one.style.width = Math.max(0, 100 * part / longest) + '%';
        one.style.background = BAR_COLOURS[i];
        return one;
      });
      const name = row.name + (many ? ` of ${row.pid}` : '');
      return el('div', {class: 'wall'}, el('span', {class: 'name', title: `${name}, tid ${row.tid}: ${row.process}`}, name),
                el('span', {class: 'number'}, amount(row.wall_ns, 'time')), el('span', {class: 'parts'}, ...parts));
    };
    const first = rows.slice(0, 8), rest = rows.slice(8);
    return el('div', {}, el('h2', {}, 'Where the wall time of threads went'), key, ...first.map(bar),
      rest.length > 0 ? el('details', {}, el('summary', {}, `${grouped(all - 8)} more threads`), ...rest.map(bar)) : '');
  }

  next() {
    return el('div', {}, el('h2', {}, 'Next'), ...this.first.next.map(command => el('p', {}, el('code', {}, ...this.linked(command)))));
  }
}

function swatch(colour) {
  const out = el('span', {class: 'swatch'});
  out.style.background = colour;
  return out;
}
