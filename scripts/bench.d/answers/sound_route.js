// Finds shortest ways on a grid map with Dijkstra and a binary heap.
//
// Sound: nothing is wrong. The queue is a heap, the map lies in typed arrays, and
// the text is parsed once; the time is the search itself.
// First screen should say: the time is shortest() with Heap.push/pop; no fault found.
'use strict';
const { performance } = require('perf_hooks');

class Heap {
  constructor() {
    this.keys = [];
    this.items = [];
  }

  get size() {
    return this.keys.length;
  }

  push(key, item) {
    const { keys, items } = this;
    let i = keys.length;
    keys.push(key);
    items.push(item);
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (keys[up] <= key) break;
      keys[i] = keys[up];
      items[i] = items[up];
      i = up;
    }
    keys[i] = key;
    items[i] = item;
  }

  pop() {
    const { keys, items } = this;
    const top = items[0];
    const key = keys.pop();
    const item = items.pop();
    const n = keys.length;
    if (n === 0) return top;
    let i = 0;
    for (;;) {
      let c = 2 * i + 1;
      if (c >= n) break;
      if (c + 1 < n && keys[c + 1] < keys[c]) c++;
      if (keys[c] >= key) break;
      keys[i] = keys[c];
      items[i] = items[c];
      i = c;
    }
    keys[i] = key;
    items[i] = item;
    return top;
  }
}

function makeMap(width, height) {
  let s = 12345;
  const rows = [];
  for (let y = 0; y < height; y++) {
    const row = [];
    for (let x = 0; x < width; x++) {
      s = (Math.imul(s, 1103515245) + 12345) >>> 0;
      row.push(1 + ((s >>> 16) % 9));
    }
    rows.push(row.join(''));
  }
  return rows.join('\n');
}

function parse(text) {
  const rows = text.split('\n');
  const width = rows[0].length;
  const cost = new Uint8Array(width * rows.length);
  rows.forEach((row, y) => {
    for (let x = 0; x < width; x++) cost[y * width + x] = row.charCodeAt(x) - 48;
  });
  return { width, height: rows.length, cost };
}

function shortest(map, start) {
  const { width, height, cost } = map;
  const dist = new Float64Array(width * height).fill(Infinity);
  const heap = new Heap();
  const reach = (cell, d) => {
    if (d + cost[cell] < dist[cell]) {
      dist[cell] = d + cost[cell];
      heap.push(dist[cell], cell);
    }
  };
  dist[start] = 0;
  heap.push(0, start);
  const done = new Uint8Array(width * height);
  while (heap.size) {
    const cell = heap.pop();
    if (done[cell]) continue;
    done[cell] = 1;
    const x = cell % width;
    const y = (cell - x) / width;
    if (x > 0) reach(cell - 1, dist[cell]);
    if (x + 1 < width) reach(cell + 1, dist[cell]);
    if (y > 0) reach(cell - width, dist[cell]);
    if (y + 1 < height) reach(cell + width, dist[cell]);
  }
  return dist;
}

const map = parse(makeMap(700, 700));
const t0 = performance.now();
for (const start of Array.from({ length: 40 }, (_, i) => (i * 48611) % 490000)) {
  const dist = shortest(map, start);
  console.log(`from ${start}: farthest ${dist.reduce((a, b) => Math.max(a, b), 0)}`);
}
console.log(`searched in ${((performance.now() - t0) / 1000).toFixed(2)} s`);
