// The flame graph: root above, what it calls below; of a pivot also its callers, above it.

const HUES = {python: 212, native: 28, api: 48, gpu: 130, range: 175, operator: 285, wait: 350, task: 315};
const KINDS = {
  python: 'Python', native: 'native', api: 'calls of APIs', gpu: 'GPU work', range: 'ranges', operator: 'operators',
  wait: 'blocking calls', task: 'tasks'
};
const MANY_NODES = 300000;
const ROW = 20, LEAST = 0.6;  // pixels: of a row, and of the narrowest block that is drawn by itself

class FlameView {
  constructor(app) {
    this.app = app;
    this.stacks = app.stacks;
    this.selected = 0;
    this.side = 'down';  // of the pivot: whether the selected block is one of its callers
    this.build();
  }

  get state() {
    return this.app.state;
  }

  build() {
    const set = name => ({change: input => this.app.change({[name]: input.target.value, zoom: ''})});
    const stacks = this.stacks;
    this.metric = el('select', {title: 'What a block is as wide as', on: set('metric')},
                     ...stacks.metrics.map(m => el('option', {value: m.name}, m.title)));
    this.part = el('select', {title: 'Which part of the run', on: set('part')}, ...this.partOptions());
    this.frames = el('select', {title: 'Which frames are shown; the time of others is their callers\'', on: set('frames')},
                     ...[['mixed', 'all frames'], ['plain', 'no ranges, no tasks'], ['python', 'Python'], ['native', 'native'], ['own', 'your code']].map(
                       ([value, text]) => el('option', {value}, text)));
    this.colour = el('select', {title: 'What colours mean', on: set('colour')},
                     el('option', {value: 'kind'}, 'colour by kind'), el('option', {value: 'module'}, 'by module'));
    this.lines = el('input', {type: 'checkbox', on: {change: () => this.app.change({lines: this.lines.checked ? '1' : '', zoom: ''})}});
    const typed = (name, placeholder, title) => el('input', {
      type: 'search', placeholder, title, 'aria-label': title, on: {change: input => this.app.change({[name]: input.target.value, zoom: ''})}
    });
    this.search = el('input', {
      type: 'search', placeholder: 'search: name, file.py:42, /regex/', 'aria-label': 'search', id: 'search',
      on: {input: () => this.app.change({search: this.search.value}, true)}
    });
    this.focus = typed('focus', 'only stacks with', 'Only stacks with a function, file or module that matches');
    this.ignore = typed('ignore', 'no stacks with', 'No stacks with a function, file or module that matches');
    this.hide = typed('hide', 'hide frames', 'Frames that match are not shown: their time is their callers\'');
    this.matched = el('span', {class: 'quiet', role: 'status'});
    this.crumbs = el('nav', {class: 'crumbs', 'aria-label': 'path to the zoomed frame'});
    this.note = el('span', {class: 'quiet'});
    this.canvas = el('canvas', {
      tabindex: '0', role: 'application', 'aria-label': 'flame graph; arrows move, Enter zooms, p pivots, Escape goes back',
      on: {
        mousemove: event => this.hover(event), mouseleave: () => this.app.tip(null), click: event => this.click(event),
        dblclick: event => this.doubleClick(event), keydown: event => this.key(event)
      }
    });
    this.filler = el('div', {class: 'filler'});
    this.scroller = el('div', {class: 'flame', on: {scroll: () => this.draw()}}, this.canvas, this.filler);
    this.details = el('aside', {class: 'details', 'aria-live': 'polite'});
    this.element = el('section', {class: 'flameview'},
      el('div', {class: 'bar'}, this.metric, this.part, this.frames, this.colour,
         el('label', {}, this.lines, ' lines'), this.search, this.matched),
      el('div', {class: 'bar'}, this.focus, this.ignore, this.hide,
         el('button', {type: 'button', on: {click: () => this.app.change({zoom: '', pivot: '', focus: '', ignore: '', hide: '', search: ''})}}, 'reset')),
      this.legend = el('p', {class: 'key quiet'}), this.crumbs, el('div', {class: 'split'}, this.scroller, this.details));
    new ResizeObserver(() => this.draw()).observe(this.scroller);
  }

  partOptions() {
    const out = [el('option', {value: ''}, 'the whole run')];
    const parts = this.stacks.parts, string = id => this.app.bundle.string(id);
    const ranks = [...new Set(parts.map(part => part.rank).filter(rank => rank !== null))].sort((a, b) => a - b);
    for (const rank of ranks) out.push(el('option', {value: 'rank:' + rank}, 'rank ' + rank));
    parts.forEach((part, i) => {
      if (parts.length === 1) return;
      const text = part.thread ? '  thread ' + (string(part.name) || 'main') + ' of ' + string(part.process) : string(part.process);
      out.push(el('option', {value: String(i)}, text));
    });
    return out;
  }

  get measure() {
    return this.stacks.metrics.find(m => m.name === this.state.metric) ?? this.stacks.metrics[0];
  }

  show() {
    const state = this.state;
    if (this.stacks.metrics.length === 0) {
      this.element.replaceChildren(el('p', {}, 'No stack was recorded.'));
      return;
    }
    this.metric.value = this.measure.name;
    for (const name of ['part', 'frames', 'colour', 'focus', 'ignore', 'hide']) {
      if (this[name].value !== state[name]) this[name].value = state[name];
    }
    if (this.search.value !== state.search) this.search.value = state.search;
    this.lines.checked = state.lines === '1';
    this.showKey();
    this.makeGraph();
    this.find();
    this.zoom = this.zoomed();
    this.selected = this.zoom;
    this.side = 'down';
    this.showCrumbs();
    this.describe();
    this.draw();
  }

  // Anew only where what it is made of has changed.
  makeGraph() {
    const {metric, part, frames, lines, focus, ignore, hide, pivot} = this.state;
    const key = JSON.stringify([metric, part, frames, lines, focus, ignore, hide, pivot]);
    if (key === this.made) return;
    this.made = key;
    const chosen = this.stacks.partsOf(part);
    this.values = this.stacks.values(this.measure, chosen);
    const id = pivot === '' ? -1 : Number(pivot);
    this.graph = layout(this.stacks, this.values.own, {frames, lines: lines === '1', focus, ignore, hide, pivot: id});
  }

  // The node that the state's zoom names: the way down to it, key by key.
  zoomed() {
    let node = 0;
    for (const key of this.state.zoom === '' ? [] : this.state.zoom.split('.')) {
      const next = this.graph.children[node].find(child => String(this.graph.key[child]) === key);
      if (next === undefined) break;
      node = next;
    }
    return node;
  }

  find() {
    this.found = null;
    this.matched.textContent = '';
    if (this.state.search === '') return;
    const {found, lines, bad} = this.stacks.matches(this.state.search);
    if (bad) {
      this.matched.textContent = 'no regular expression';
      return;
    }
    this.found = {found, lines: this.state.lines === '1' ? lines : null};
    const graph = this.graph, inside = new Uint8Array(graph.key.length);
    let sum = 0, count = 0;
    for (let i = 0; i < inside.length; ++i) {
      const hit = this.hit(graph, i);
      inside[i] = hit || (i > 0 && inside[graph.parent[i]]) ? 1 : 0;
      if (hit) ++count;
      if (hit && !(i > 0 && inside[graph.parent[i]])) sum += graph.all[i];
    }
    this.matched.textContent = count === 0 ? 'nothing matches'
      : 'matched: ' + percent(sum, graph.all[0]) + ' (' + amount(sum, this.measure.kind) + ')';
  }

  functionOf(graph, node) {
    const key = graph.key[node];
    if (key < 0) return node === 0 && this.state.pivot !== '' ? Number(this.state.pivot) : -1;
    return this.state.lines === '1' ? this.stacks.places.function[key] : key;
  }

  hit(graph, node) {
    const id = this.functionOf(graph, node);
    if (id < 0 || this.found === null) return false;
    return this.found.lines === null ? this.found.found[id] === 1 : this.found.lines.has(graph.key[node]);
  }

  labelOf(graph, node) {
    const id = this.functionOf(graph, node);
    if (id < 0) return node === 0 ? 'all' : '(other, ' + grouped(this.stacks.leftOut[graph.base[node]]) + ' paths)';
    const line = this.state.lines === '1' && node > 0 ? this.stacks.places.line[graph.key[node]] : 0;
    return this.stacks.title(id) + (line > 0 ? ':' + line : '');
  }

  // What colours mean, of the kinds that the run has.
  showKey() {
    const used = Object.keys(HUES).filter(kind => this.stacks.functions.language.includes(LANGUAGES.indexOf(kind)));
    this.legend.replaceChildren(...(this.state.colour === 'module' ? ['a colour for each module, or folder of Python']
      : used.flatMap(kind => [swatch(`hsl(${HUES[kind]} 60% ${this.app.dark ? 38 : 74}%)`), KINDS[kind]])));
  }

  colourOf(graph, node) {
    const id = this.functionOf(graph, node);
    if (id < 0) return 'hsl(220 8% ' + (this.app.dark ? '36%' : '82%') + ')';
    const stacks = this.stacks, light = this.app.dark ? 38 : 74, of = hash(stacks.name(id)) % 12 - 6;
    if (this.state.colour === 'module') {
      const module = stacks.language(id) === 'python' ? stacks.file(id).replace(/[^/]*$/, '') : stacks.module(id);
      return `hsl(${hash(module) % 360} 50% ${light}%)`;
    }
    const hue = HUES[stacks.language(id)];
    const own = stacks.is(id, OWN), plain = stacks.is(id, SPECIAL) || stacks.is(id, INTERPRETER);
    return `hsl(${hue} ${plain ? 18 : own ? 85 : 48}% ${light + of / 3 - (own ? 6 : 0)}%)`;
  }

  // Rows above the pivot's own.
  get above() {
    return this.graph.callers === null ? 0 : this.graph.callers.deepest;
  }

  draw() {
    const graph = this.graph;
    if (graph === undefined || !this.element.isConnected || this.stacks.metrics.length === 0) return;
    const rows = this.above + this.rowsBelow() + 1;
    this.filler.style.height = Math.max(rows * ROW, 10) + 'px';
    const width = this.scroller.clientWidth, height = Math.max(ROW, Math.min(this.scroller.clientHeight, rows * ROW + 4));
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.width = width + 'px';
      this.canvas.style.height = height + 'px';
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px ' + getComputedStyle(document.body).fontFamily;
    context.textBaseline = 'middle';
    this.blocks = [];
    const top = this.scroller.scrollTop;
    this.drawSide(context, graph, this.zoom, 'down', width, height, top);
    if (graph.callers !== null && this.zoom === 0) this.drawSide(context, graph.callers, 0, 'up', width, height, top);
  }

  rowsBelow() {
    return this.graph.deepest;
  }

  drawSide(context, graph, root, side, width, height, top) {
    const whole = graph.width[root];
    if (!(whole > 0)) return;
    const y = depth => (side === 'down' ? this.above + depth : this.above - depth) * ROW - top;
    const scale = width / whole, from = graph.start[root];
    const draw = (node, x, w) => {
      const at = y(graph.depth[node]);
      if (at > height || at < -ROW || (side === 'up' && node === 0)) return;
      this.block(context, graph, node, side, x, at, w);
    };
    const way = [];
    for (let node = root; node > 0; node = graph.parent[node]) way.push(graph.parent[node]);
    for (const node of way) draw(node, 0, width);
    const open = [root];
    while (open.length > 0) {
      const node = open.pop(), x = (graph.start[node] - from) * scale, w = graph.width[node] * scale;
      draw(node, x, w);
      let left = 0, leftAt = 0;
      for (const child of graph.children[node]) {
        if (graph.width[child] * scale >= LEAST) {
          open.push(child);
        } else {
          if (left === 0) leftAt = (graph.start[child] - from) * scale;
          left += graph.width[child] * scale;
        }
      }
      const at = y(graph.depth[node] + 1);
      if (left >= 0.3 && at < height && at > -ROW) {
        context.fillStyle = this.app.dark ? '#555' : '#ccc';
        context.fillRect(leftAt, at, Math.max(left, 0.5), ROW - 1);
      }
    }
  }

  block(context, graph, node, side, x, y, w) {
    this.blocks.push({graph, node, side, x, y, w});
    const hit = this.found !== null && this.hit(graph, node);
    context.globalAlpha = this.found !== null && !hit ? 0.35 : 1;
    context.fillStyle = hit ? (this.app.dark ? '#b8860b' : '#ffd75e') : this.colourOf(graph, node);
    context.fillRect(x, y, Math.max(w - 1, 0.5), ROW - 1);
    context.globalAlpha = 1;
    const id = this.functionOf(graph, node);
    const inlined = this.state.lines === '1' && id >= 0 && node > 0 && (this.stacks.places.flags[graph.key[node]] & INLINED) !== 0;
    if (inlined && w > 4) {
      context.setLineDash([3, 2]);
      context.strokeStyle = this.app.dark ? '#ddd' : '#444';
      context.strokeRect(x + 0.5, y + 0.5, w - 2, ROW - 2);
      context.setLineDash([]);
    }
    if (node === this.selected && side === this.side && this.stacks) {
      context.strokeStyle = this.app.dark ? '#fff' : '#000';
      context.strokeRect(x + 0.5, y + 0.5, Math.max(w - 2, 1), ROW - 2);
    }
    if (w < 28) return;
    context.fillStyle = this.app.dark ? '#f2f2f2' : '#1a1a1a';
    const room = Math.floor((w - 8) / 6.4);
    let label = this.labelOf(graph, node);
    if (label.length > room) label = label.slice(0, Math.max(room - 1, 0)) + '\u2026';
    if (room > 2) {
      context.save();
      context.beginPath();
      context.rect(x, y, w - 2, ROW);
      context.clip();
      context.fillText(label, x + 4, y + ROW / 2);
      context.restore();
    }
  }

  blockAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return (this.blocks ?? []).find(b => x >= b.x && x < b.x + Math.max(b.w, 1) && y >= b.y && y < b.y + ROW);
  }

  hover(event) {
    const block = this.blockAt(event);
    if (!block) {
      this.app.tip(null);
      return;
    }
    const {graph, node} = block, id = this.functionOf(graph, node), rows = [[this.labelOf(graph, node), '']];
    if (id >= 0) rows.push([this.stacks.where(id, this.state.lines === '1' && node > 0 ? graph.key[node] : -1), '']);
    const kind = this.measure.kind;
    rows.push(['total', amount(graph.all[node], kind) + ', ' + percent(graph.all[node], graph.all[0])]);
    rows.push(['self', amount(graph.self[node], kind) + ', ' + percent(graph.self[node], graph.all[0])]);
    if (this.zoom !== 0) rows.push(['of the zoomed frame', percent(graph.all[node], this.graph.all[this.zoom])]);
    // Of a page with --full the panel alone has them, on a click: it takes a walk through all paths.
    if (this.stacks.count < MANY_NODES) rows.push(...this.others(graph, node).slice(0, 8));
    this.app.tip(event, rows);
  }

  // Of a block, its other figures: as far as its nodes of the run's tree are one.
  others(graph, node) {
    const key = JSON.stringify([this.made, node, graph === this.graph]);
    this.known ??= new Map();
    let rows = this.known.get(key);
    if (rows === undefined) {
      rows = this.measureAll(graph, node);
      if (this.known.size > 500) this.known.clear();
      this.known.set(key, rows);
    }
    return rows;
  }

  measureAll(graph, node) {
    if (graph !== this.graph) return [];
    const inside = this.nodesOf(node), parts = this.stacks.partsOf(this.state.part), rows = [];
    for (const metric of this.stacks.metrics) {
      if (metric === this.measure) continue;
      const all = this.stacks.total(metric, parts, inside);
      if (all !== 0) rows.push([metric.title, amount(all, metric.kind)]);
    }
    return rows;
  }

  // By node of the run's tree: whether it went into this block or into one below it.
  nodesOf(block) {
    const stacks = this.stacks, graph = this.graph, inside = new Uint8Array(stacks.count);
    const way = [];
    for (let node = block; node > 0; node = graph.parent[node]) way.unshift(graph.key[node]);
    const options = this.state, shown = shownFunctions(stacks, options), wanted = wantedStacks(stacks, options);
    const pivot = options.pivot === '' ? -1 : Number(options.pivot), lines = options.lines === '1';
    // How many frames of the way a node's stack has gone; -1: it went another way.
    const gone = new Int32Array(stacks.count), started = new Uint8Array(stacks.count);
    started[0] = pivot < 0 ? 1 : 0;
    for (let node = 1; node < stacks.count; ++node) {
      const parent = stacks.parent[node], place = stacks.place[node], id = place < 0 ? -1 : stacks.places.function[place];
      started[node] = started[parent];
      gone[node] = gone[parent];
      if (!started[node]) {
        started[node] = id === pivot ? 1 : 0;
      } else if (gone[node] >= 0 && gone[node] < way.length && (id < 0 || shown[id])) {
        gone[node] = way[gone[node]] === (id < 0 ? -2 : lines ? place : id) ? gone[node] + 1 : -1;
      }
      inside[node] = started[node] && gone[node] === way.length && wanted[node] ? 1 : 0;
    }
    return inside;
  }

  click(event) {
    const block = this.blockAt(event);
    if (!block) return;
    this.select(block.node, block.side);
    if (block.side === 'down') this.zoomTo(block.node);
  }

  doubleClick(event) {
    const block = this.blockAt(event);
    if (block) this.pivot(this.functionOf(block.graph, block.node));
  }

  pivot(id) {
    if (id >= 0) this.app.change({pivot: String(id), zoom: ''});
  }

  select(node, side = 'down') {
    this.selected = node;
    this.side = side;
    this.describe();
    this.draw();
  }

  zoomTo(node) {
    const keys = [];
    for (let at = node; at > 0; at = this.graph.parent[at]) keys.unshift(this.graph.key[at]);
    this.app.change({zoom: keys.join('.')});
  }

  key(event) {
    const graph = this.side === 'down' ? this.graph : this.graph.callers, node = this.selected;
    const siblings = node > 0 ? graph.children[graph.parent[node]] : [], at = siblings.indexOf(node);
    const down = graph.children[node][0], inward = this.side === 'down' ? 'ArrowDown' : 'ArrowUp';
    let to;
    if (event.key === inward) to = down;
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') to = node > 0 ? graph.parent[node] : undefined;
    else if (event.key === 'ArrowLeft') to = siblings[at - 1];
    else if (event.key === 'ArrowRight') to = siblings[at + 1];
    else if (event.key === 'Enter') this.zoomTo(this.side === 'down' ? node : 0);
    else if (event.key === 'p') this.pivot(this.functionOf(graph, node));
    else if (event.key === 'Escape') this.app.change({zoom: '', pivot: ''});
    else return;
    event.preventDefault();
    if (to !== undefined) this.select(to, this.side);
  }

  showCrumbs() {
    const graph = this.graph, way = [];
    for (let node = this.zoom; node >= 0; node = graph.parent[node]) way.unshift(node);
    const items = way.map(node => el('button', {type: 'button', on: {click: () => this.zoomTo(node)}}, this.labelOf(graph, node)));
    if (this.state.pivot !== '')
      items.unshift(el('button', {type: 'button', on: {click: () => this.app.change({pivot: '', zoom: ''})}}, 'leave the pivot'));
    this.showNote();
    this.crumbs.replaceChildren(...(items.length > 1 ? items : []), ...(items.length > 1 && graph.all[0] > 0 ? [] : [this.note]));
  }

  showNote() {
    const {all_nodes: all} = this.stacks.header, notes = [];
    if (all > this.stacks.count) {
      notes.push(`${grouped(all)} paths were recorded: the ${grouped(this.stacks.count)} that matter most are apart, the ` +
                 'rest is in "(other)" (--full keeps all).');
    }
    if (this.measure.level && this.stacks.partsOf(this.state.part).some(part => part.thread))
      notes.push('What is live cannot be told by thread.');
    if (!(this.graph.all[0] > 0)) notes.push('There is nothing of this to draw.');
    this.note.textContent = notes.join(' ');
  }

  describe() {
    const graph = this.side === 'down' ? this.graph : this.graph.callers, node = this.selected;
    if (graph === null) return;
    const id = this.functionOf(graph, node), kind = this.measure.kind, stacks = this.stacks;
    const place = this.state.lines === '1' && node > 0 ? graph.key[node] : -1;
    const parts = [el('h3', {}, id < 0 ? this.labelOf(graph, node) : stacks.wholeName(id))];
    if (id >= 0) parts.push(el('p', {class: 'quiet'}, stacks.where(id, place), ' ', el('span', {class: 'tag'}, stacks.language(id))));
    const rows = [['total: ' + this.measure.title, amount(graph.all[node], kind), percent(graph.all[node], this.graph.all[0])],
                  ['self', amount(graph.self[node], kind), percent(graph.self[node], this.graph.all[0])],
                  ...this.others(graph, node).map(row => [...row, ''])];
    parts.push(el('table', {class: 'plain'}, ...rows.map(row => el('tr', {}, ...row.map((text, i) =>
      el('td', {class: i > 0 ? 'number' : ''}, text))))));
    if (id >= 0) {
      const quoted = stacks.name(id), button = (text, action) => el('button', {type: 'button', on: {click: action}}, text);
      parts.push(el('div', {class: 'bar'},
        button('pivot: callers and callees', () => this.pivot(id)),
        button('only stacks with it', () => this.app.change({focus: quoted, zoom: ''})),
        button('no stacks with it', () => this.app.change({ignore: quoted, zoom: ''})),
        button('hide it', () => this.app.change({hide: quoted, zoom: ''}))));
      const [file, line] = splitPlace(stacks.where(id, place));
      if (this.app.source.has(file)) parts.push(this.app.sourceLink(file, line, 'show the source'));
    }
    this.details.replaceChildren(...parts);
  }
}

function splitPlace(text) {
  const found = /^(.*):(\d+)$/.exec(text);
  return found ? [found[1], Number(found[2])] : [text, 0];
}

function hash(text) {
  let out = 7;
  for (let i = 0; i < text.length; ++i) out = (out * 31 + text.charCodeAt(i)) >>> 0;
  return out;
}
