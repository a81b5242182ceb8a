// Builds the shop catalogue: groups the raw feed by SKU, merges the suppliers' offers,
// ranks a search index and writes a digest of the result.
//
// What is wrong: Reduce with object spread copies the whole accumulator per product (quadratic).
// Mend: Object.fromEntries / assign into one object.
'use strict';
const { createHash } = require('node:crypto');
const { performance } = require('node:perf_hooks');

const COUNT = Number(process.argv[2] || 4700);
const USUAL_MS = 3;

function randomSource(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 4294967296;
  };
}

const WORDS = ['oak', 'steel', 'lamp', 'chair', 'desk', 'white', 'black', 'garden', 'kids', 'outdoor', 'folding', 'compact'];

function readFeed(n) {
  const rnd = randomSource(7);
  const feed = [];
  for (let i = 0; i < n * 3; i++) {
    const id = Math.floor(rnd() * n);
    feed.push({
      sku: `SKU-${String(id).padStart(6, '0')}`,
      supplier: `s${Math.floor(rnd() * 12)}`,
      price: Math.round(rnd() * 50000) / 100,
      stock: Math.floor(rnd() * 40),
      title: Array.from({ length: 4 }, () => WORDS[Math.floor(rnd() * WORDS.length)]).join(' '),
    });
  }
  return feed;
}

function mergeOffers(feed) {
  const bySku = new Map();
  for (const offer of feed) {
    const known = bySku.get(offer.sku);
    if (known) known.push(offer);
    else bySku.set(offer.sku, [offer]);
  }
  return [...bySku].map(([sku, offers]) => {
    offers.sort((a, b) => a.price - b.price || a.supplier.localeCompare(b.supplier));
    return {
      sku,
      title: offers[0].title,
      price: offers[0].price,
      stock: offers.reduce((sum, o) => sum + o.stock, 0),
      suppliers: offers.map((o) => o.supplier),
    };
  });
}

let lookupMs = 0;

function toLookup(products) {
  const t0 = performance.now();
  const lookup = products.reduce(
    (all, p) => ({ ...all, [p.sku]: p }), // FAULT object-copies
    {},
  );
  lookupMs += performance.now() - t0;
  return lookup;
}

function trigrams(text) {
  const set = new Set();
  for (let i = 0; i + 3 <= text.length; i++) set.add(text.slice(i, i + 3));
  return set;
}

function similarProducts(products, sample) {
  const grams = products.map((p) => trigrams(p.title));
  const pairs = [];
  for (let i = 0; i < products.length; i += sample) {
    let best = -1;
    let bestScore = 0;
    for (let j = 0; j < products.length; j++) {
      if (i === j) continue;
      let common = 0;
      for (const g of grams[i]) if (grams[j].has(g)) common++;
      const score = common / (grams[i].size + grams[j].size - common);
      if (score > bestScore && score < 1) {
        bestScore = score;
        best = j;
      }
    }
    pairs.push([products[i].sku, best < 0 ? null : products[best].sku, bestScore.toFixed(3)]);
  }
  return pairs;
}

function digest(lookup, pairs) {
  const hash = createHash('sha256');
  for (const sku of Object.keys(lookup).sort()) {
    const p = lookup[sku];
    hash.update(`${sku}|${p.title}|${p.price}|${p.stock}|${p.suppliers.join(',')}\n`);
  }
  for (const [a, b, score] of pairs) hash.update(`${a}~${b}:${score}\n`);
  return hash.digest('hex').slice(0, 16);
}

function main() {
  const feed = readFeed(COUNT);
  const products = mergeOffers(feed);
  const lookup = toLookup(products);
  const pairs = similarProducts(products, 5);
  const cheap = pairs.filter(([a, b]) => b && lookup[b].price < lookup[a].price).length;
  console.log(`${feed.length} offers, ${products.length} products, ${cheap} cheaper alternatives`);
  console.log(`digest ${digest(lookup, pairs)}`);
  console.log(`truth ${((lookupMs - USUAL_MS) / 1000).toFixed(3)}`);
}

main();
