// Replays a day of shop events through a reducer store (as in Redux) and prints statistics of the orders.
//
// What is wrong: the reducer first makes a deep copy of the whole state with
//   JSON.parse(JSON.stringify(state)), for each event, to be "immutable" - though an event changes one
//   order. The state has 1,500 orders.
// First screen should say: most of the run is JSON.parse and JSON.stringify (and the garbage they make),
//   called from reduce(); line: the deep copy in reduce(); amount: the seconds printed as "truth".
// Mend: copy only what changes ({...state, orders: {...}} of the one order, or a Map with one new entry).
'use strict';
const crypto = require('crypto');

let copySeconds = 0;
const seconds = (t) => Number(process.hrtime.bigint() - t) / 1e9;

function random(seed) { // mulberry32
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function firstState(n, rnd) {
  const orders = [];
  for (let i = 0; i < n; i++) {
    const items = [];
    for (let k = 0; k < 1 + Math.floor(rnd() * 4); k++) {
      items.push({ sku: 'SKU-' + Math.floor(rnd() * 5000), qty: 1 + Math.floor(rnd() * 3), price: Math.round(rnd() * 9000) / 100 });
    }
    orders.push({ id: i, status: 'new', customer: { name: 'Customer ' + i, city: 'City ' + (i % 40) }, items, notes: [] });
  }
  return { version: 0, orders };
}

const NEXT = { new: 'paid', paid: 'packed', packed: 'sent', sent: 'delivered', delivered: 'delivered' };

function reduce(state, event) { // FAULT json
  const t = process.hrtime.bigint();
  const next = JSON.parse(JSON.stringify(state)); // FAULT json
  const order = next.orders[event.order];
  copySeconds += seconds(t);
  next.version++;
  if (event.type === 'advance') order.status = NEXT[order.status];
  else if (event.type === 'note') order.notes.push(event.text);
  else if (event.type === 'addItem') order.items.push(event.item);
  return next;
}

class Store {
  constructor(state) { this.state = state; this.listeners = []; }
  subscribe(f) { this.listeners.push(f); }
  dispatch(event) {
    const before = this.state;
    this.state = reduce(before, event);
    for (const f of this.listeners) f(this.state, before, event);
  }
}

class Audit { // a chain of signatures over the changed orders
  constructor() { this.chain = Buffer.alloc(32); }
  onChange(state, before, event) {
    const body = JSON.stringify(state.orders[event.order]);
    this.chain = crypto.pbkdf2Sync(body, this.chain, 5000, 32, 'sha256');
  }
}

function makeEvents(n, orders, rnd) {
  const types = ['advance', 'advance', 'note', 'addItem'];
  return Array.from({ length: n }, () => ({
    type: types[Math.floor(rnd() * types.length)],
    order: Math.floor(rnd() * orders),
    text: 'called at ' + Math.floor(rnd() * 24) + ':00',
    item: { sku: 'SKU-' + Math.floor(rnd() * 5000), qty: 1, price: 9.5 },
  }));
}

function report(state) {
  const byStatus = {};
  const byCity = new Map();
  for (const o of state.orders) {
    byStatus[o.status] = (byStatus[o.status] || 0) + 1;
    const sum = o.items.reduce((s, i) => s + i.qty * i.price, 0);
    byCity.set(o.customer.city, (byCity.get(o.customer.city) || 0) + sum);
  }
  const [city, sum] = [...byCity].sort((a, b) => b[1] - a[1])[0];
  console.log(byStatus, `best: ${city} with ${sum.toFixed(2)}`);
}

const start = process.hrtime.bigint();
const rnd = random(12);
const store = new Store(firstState(1500, rnd));
const audit = new Audit();
store.subscribe((s, b, e) => audit.onChange(s, b, e));
for (const e of makeEvents(1000, 1500, rnd)) store.dispatch(e);
report(store.state);
console.log('audit', audit.chain.toString('hex').slice(0, 16));
console.log(`total ${seconds(start).toFixed(2)}`);
console.log(`truth ${copySeconds.toFixed(2)}`);
