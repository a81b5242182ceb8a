// Joins order lines with products and prints a sales report.
//
// What is wrong: indexBy() builds the product index with reduce() and a spread of
// the accumulator, so the whole index is copied for each product (quadratic).
// First screen should say: the arrow function in indexBy (`({ ...acc, ... })`) takes
// N seconds (much of it garbage collection): object copied once per element.
// Mend: put into one object/Map in a loop, or Object.fromEntries.
'use strict';
const { performance } = require('perf_hooks');
const crypto = require('crypto');

let spent = 0;

function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

function makeProducts(n) {
  const rnd = random(3);
  return Array.from({ length: n }, (_, i) => ({
    sku: 'sku-' + crypto.createHash('md5').update(String(i)).digest('hex').slice(0, 8),
    price: Math.round(rnd() * 10000) / 100,
    group: ['tools', 'paint', 'garden', 'light'][Math.floor(rnd() * 4)],
  }));
}

function* makeLines(products, n) {
  const rnd = random(9);
  for (let i = 0; i < n; i++) {
    const p = products[Math.floor(rnd() * products.length)];
    yield JSON.stringify({ order: Math.floor(i / 4), sku: p.sku, qty: 1 + Math.floor(rnd() * 5) });
  }
}

const indexBy = (list, key) =>
  list.reduce((acc, item) => ({ ...acc, [item[key]]: item }), {}); // FAULT object-copies

class Report {
  constructor(index) {
    this.index = index;
    this.groups = new Map();
    this.orders = new Map();
  }

  add(line) {
    const product = this.index[line.sku];
    if (!product) throw new Error('unknown ' + line.sku);
    const value = product.price * line.qty;
    this.groups.set(product.group, (this.groups.get(product.group) || 0) + value);
    this.orders.set(line.order, (this.orders.get(line.order) || 0) + value);
  }

  print() {
    const best = [...this.orders].sort((a, b) => b[1] - a[1]).slice(0, 3);
    for (const [group, sum] of [...this.groups].sort()) console.log(group, sum.toFixed(2));
    console.log('best orders', best.map(([id, v]) => `${id}:${v.toFixed(2)}`).join(' '));
  }
}

function main() {
  const products = makeProducts(3500);
  const t0 = performance.now();
  const index = indexBy(products, 'sku');
  spent += performance.now() - t0;
  const report = new Report(index);
  for (const text of makeLines(products, 500000)) report.add(JSON.parse(text));
  report.print();
  console.log('truth ' + (spent / 1000).toFixed(3));
}

main();
