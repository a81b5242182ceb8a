// From the tree of the run to what the flame graph draws: frames that are shown, merged, sorted and measured.

// Nodes in arrays: [0] is the root; parents come before their children.
class Graph {
  constructor() {
    this.parent = [-1];
    this.key = [-1];    // the function, or the place where lines are apart; -2: what was left out
    this.depth = [0];
    this.self = [0];
    this.all = [0];
    this.base = [0];    // a node of the run's tree that went into it
    this.ids = new Map();
  }

  child(parent, key, base) {
    const name = parent * 4194304 * 2 + key + 2;
    let id = this.ids.get(name);
    if (id === undefined) {
      id = this.parent.length;
      this.ids.set(name, id);
      this.parent.push(parent);
      this.key.push(key);
      this.depth.push(this.depth[parent] + 1);
      this.self.push(0);
      this.all.push(0);
      this.base.push(base);
    }
    return id;
  }

  // Sums, and where each node begins and how wide it is, in the unit of the sums; children with most first.
  finish() {
    const count = this.parent.length;
    for (let i = 0; i < count; ++i) this.all[i] += this.self[i];
    for (let i = count; --i > 0;) this.all[this.parent[i]] += this.all[i];
    this.children = Array.from({length: count}, () => []);
    for (let i = 1; i < count; ++i) {
      if (this.all[i] > 0) this.children[this.parent[i]].push(i);
    }
    this.start = new Float64Array(count);
    this.width = new Float64Array(count);
    this.width[0] = Math.max(0, this.all[0]);
    this.deepest = 0;
    for (let i = 0; i < count; ++i) {
      const children = this.children[i].sort((a, b) => this.all[b] - this.all[a]);
      // Estimates below 0, which are not drawn, may leave the others more than there is room for.
      const sum = children.reduce((all, child) => all + this.all[child], 0);
      const fit = sum > this.all[i] ? Math.max(0, this.all[i]) / sum : 1;
      let at = this.start[i];
      for (const child of children) {
        this.start[child] = at;
        this.width[child] = this.all[child] * fit * (this.all[i] > 0 ? this.width[i] / this.all[i] : 0);
        at += this.width[child];
        this.deepest = Math.max(this.deepest, this.depth[child]);
      }
    }
    this.ids = null;
    return this;
  }
}

// Which functions are frames: of `frames` python or native alone, and none that `hide` means.
function shownFunctions(stacks, options) {
  const shown = new Uint8Array(stacks.functionCount).fill(1);
  const hidden = options.hide === '' ? null : stacks.matches(options.hide).found;
  for (let id = 0; id < shown.length; ++id) {
    const language = stacks.functions.language[id];
    if (options.frames === 'python' && language !== PYTHON && !stacks.is(id, SPECIAL)) shown[id] = 0;
    if (options.frames === 'plain' && (language === RANGE || language === TASK)) shown[id] = 0;
    if (options.frames === 'native' && language === PYTHON) shown[id] = 0;
    if (options.frames === 'own' && !stacks.is(id, OWN) && !stacks.is(id, SPECIAL)) shown[id] = 0;
    if (hidden !== null && hidden[id]) shown[id] = 0;
  }
  return shown;
}

// By node of the run's tree, whether the stacks that end there are wanted.
function wantedStacks(stacks, options) {
  const focus = options.focus === '' ? null : stacks.matches(options.focus).found;
  const ignore = options.ignore === '' ? null : stacks.matches(options.ignore).found;
  const seen = new Uint8Array(stacks.count), dropped = new Uint8Array(stacks.count);
  const wanted = new Uint8Array(stacks.count);
  for (let node = 0; node < stacks.count; ++node) {
    const place = stacks.place[node], id = place < 0 ? -1 : stacks.places.function[place];
    seen[node] = focus === null || seen[stacks.parent[node]] || (id >= 0 && focus[id]) ? 1 : 0;
    dropped[node] = dropped[stacks.parent[node]] || (ignore !== null && id >= 0 && ignore[id]) ? 1 : 0;
    wanted[node] = seen[node] && !dropped[node] ? 1 : 0;
  }
  return wanted;
}

// The graph of all stacks; with options.pivot of what that function calls, and in `callers` of who calls it.
function layout(stacks, own, options) {
  const graph = new Graph();
  const shown = shownFunctions(stacks, options), wanted = wantedStacks(stacks, options);
  const at = new Int32Array(stacks.count);
  const pivot = options.pivot;
  if (pivot >= 0) at[0] = -1;
  const tops = [];
  for (let node = 1; node < stacks.count; ++node) {
    const above = at[stacks.parent[node]], place = stacks.place[node];
    const id = place < 0 ? -1 : stacks.places.function[place];
    if (above < 0 && id === pivot) {
      at[node] = 0;
      tops.push(node);
    } else if (above < 0 || (id >= 0 && !shown[id])) {
      at[node] = above;
    } else {
      at[node] = graph.child(above, id < 0 ? -2 : options.lines ? place : id, node);
    }
    if (at[node] >= 0 && wanted[node]) graph.self[at[node]] += own[node];
  }
  graph.self[0] += pivot < 0 && wanted[0] ? own[0] : 0;
  graph.finish();
  graph.callers = pivot < 0 ? null : callersOf(stacks, own, options, shown, wanted, tops);
  return graph;
}

// `tops`: where the function stands first on its stacks.
function callersOf(stacks, own, options, shown, wanted, tops) {
  const all = new Float64Array(stacks.count);
  for (let node = stacks.count; --node > 0;) {
    if (wanted[node]) all[node] += own[node];
    all[stacks.parent[node]] += all[node];
  }
  const graph = new Graph();
  for (const top of tops) {
    let to = 0;
    for (let node = stacks.parent[top]; node > 0; node = stacks.parent[node]) {
      const place = stacks.place[node], id = place < 0 ? -1 : stacks.places.function[place];
      if (id < 0 || !shown[id]) continue;
      to = graph.child(to, options.lines ? place : id, node);
    }
    graph.self[to] += all[top];
  }
  return graph.finish();
}
