// Replays a day of shop events to find out what the carts were worth when their owners left.
//
// What is wrong: the store keeps each cart as text, which is parsed and written anew for each event.
// First screen should say: JSON is written and read, at the lines in load() and save(), some 2.2 s.
// Mend: keep the carts as objects.
'use strict';
const crypto = require('crypto');

let converting = 0;
const CARTS = 500;
const EVENTS = 70000;

function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function catalogue(random) {
  const items = [];
  for (let i = 0; i < 4000; i++) {
    items.push({ sku: 'SKU-' + (100000 + i), name: 'Article number ' + i, cents: 99 + Math.floor(random() * 9000),
      group: ['garden', 'kitchen', 'toys', 'books'][i % 4] });
  }
  return items;
}

class CartStore {
  constructor() {
    this.carts = new Map();
  }

  load(id) {
    const text = this.carts.get(id);
    if (!text) return { id, lines: [], coupons: [] };
    const began = performance.now();
    const cart = JSON.parse(text); // FAULT json
    converting += performance.now() - began;
    return cart;
  }

  save(cart) {
    const began = performance.now();
    const text = JSON.stringify(cart); // FAULT json
    converting += performance.now() - began;
    this.carts.set(cart.id, text);
  }

  * all() {
    for (const id of [...this.carts.keys()].sort()) yield this.load(id);
  }
}

function applyEvent(cart, event, items) {
  if (event.kind === 'add') {
    const item = items[event.item];
    const line = cart.lines.find((l) => l.sku === item.sku);
    if (line) line.count += 1;
    else cart.lines.push({ sku: item.sku, name: item.name, group: item.group, cents: item.cents, count: 1, at: event.at });
  } else if (event.kind === 'drop' && cart.lines.length > 2) {
    cart.lines.splice(event.item % cart.lines.length, 1);
  } else if (event.kind === 'coupon' && cart.coupons.length < 3) {
    cart.coupons.push('C' + (event.item % 50));
  }
}

function makeEvents(random) {
  const events = [];
  for (let i = 0; i < EVENTS; i++) {
    const dice = random();
    const kind = dice < 0.85 ? 'add' : dice < 0.95 ? 'drop' : 'coupon';
    events.push({ kind, cart: 'cart' + Math.floor(random() * CARTS), item: Math.floor(random() * 4000), at: i });
  }
  return events;
}

function cartValue(cart) {
  const groups = {};
  let total = 0;
  for (const line of cart.lines) {
    groups[line.group] = (groups[line.group] || 0) + line.count * line.cents;
  }
  for (const group of Object.keys(groups)) total += groups[group] > 20000 ? groups[group] * 0.95 : groups[group];
  return Math.round(total * (1 - 0.02 * cart.coupons.length));
}

// Each cart gets a signed link for the reminder mail.
function signedLink(cart) {
  const key = crypto.pbkdf2Sync(cart.id, 'shop-salt', 12000, 32, 'sha256');
  return crypto.createHmac('sha256', key).update(String(cartValue(cart))).digest('hex').slice(0, 16);
}

function main() {
  const random = makeRandom(2024);
  const items = catalogue(random);
  const store = new CartStore();
  for (const event of makeEvents(random)) {
    const cart = store.load(event.cart);
    applyEvent(cart, event, items);
    store.save(cart);
  }
  let total = 0;
  const links = crypto.createHash('sha256');
  for (const cart of store.all()) {
    total += cartValue(cart);
    links.update(signedLink(cart));
  }
  console.log('carts', store.carts.size, 'left behind', total, 'links', links.digest('hex').slice(0, 12));
  console.log('truth', converting / 1000);
}

main();
