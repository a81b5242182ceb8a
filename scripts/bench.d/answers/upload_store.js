// Takes in uploaded measurement files (from a spool folder, as streams), keeps
// a digest of each, summarises the samples and stores a packed copy.
//
// What is wrong: receive() joins what it has with each arriving chunk
// (Buffer.concat per chunk), so a file of n chunks is copied n / 2 times.
// First screen should say: some half of the run is Buffer.concat (copying and
// the GC of the old buffers) in the data handler of receive(); own line the
// Buffer.concat.
// Mend: collect the chunks in an array, concat once at the end.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const { performance } = require('perf_hooks');

const FILES = 4;
const SAMPLES = 3200000;      // doubles per file

let receiving = 0;            // milliseconds until the files were in

function makeSpool(folder) {
  const names = [];
  for (let f = 0; f < FILES; f++) {
    const samples = new Float64Array(SAMPLES);
    let state = 12345 + f;
    for (let i = 0; i < SAMPLES; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      samples[i] = Math.round(Math.sin(i / 900) * 400 + state / 2 ** 28) / 8;
    }
    const name = path.join(folder, `run${f}.bin`);
    fs.writeFileSync(name, Buffer.from(samples.buffer));
    names.push(name);
  }
  return names;
}

function receive(stream) {
  return new Promise((resolve, reject) => {
    let body = Buffer.alloc(0);
    stream.on('data', (chunk) => {
      body = Buffer.concat([body, chunk]); // FAULT buffer-sums
    });
    stream.on('end', () => resolve(body));
    stream.on('error', reject);
  });
}

class Summary {
  constructor(bytes) {
    this.samples = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  moments() {
    let n = 0, mean = 0, m2 = 0;
    for (const x of this.samples) {
      n++;
      const d = x - mean;
      mean += d / n;
      m2 += d * (x - mean);
    }
    return { n, mean, deviation: Math.sqrt(m2 / n) };
  }

  // Upward crossings of the running mean, with some dead band.
  crossings() {
    let low = false, count = 0, level = 0;
    for (const x of this.samples) {
      level += (x - level) * 0.0005;
      if (x < level - 2) low = true;
      else if (low && x > level + 2) {
        low = false;
        count++;
      }
    }
    return count;
  }

  quantiles(parts) {
    const sorted = this.samples.filter((_, i) => i % 8 === 0).sort();
    return parts.map((p) => sorted[Math.floor(p * (sorted.length - 1))]);
  }
}

class Store {
  constructor(folder) {
    this.folder = folder;
    this.bytes = 0;
  }

  async put(name, body) {
    const packed = zlib.gzipSync(body.subarray(0, 6 << 20), { level: 1 });
    await fs.promises.writeFile(path.join(this.folder, name + '.gz'), packed);
    this.bytes += packed.length;
  }
}

async function takeIn(name, store) {
  const began = performance.now();
  const body = await receive(fs.createReadStream(name));
  receiving += performance.now() - began;
  const digest = crypto.createHash('sha256').update(body).digest('hex').slice(0, 12);
  const summary = new Summary(body);
  const m = summary.moments();
  await store.put(path.basename(name), body);
  const q = summary.quantiles([0.05, 0.5, 0.95]).map((x) => x.toFixed(2));
  console.log(`${path.basename(name)} ${digest} n=${m.n} mean=${m.mean.toFixed(3)} ` +
    `sd=${m.deviation.toFixed(3)} q=${q.join('/')} crossings=${summary.crossings()}`);
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uploads-'));
  try {
    const store = new Store(folder);
    for (const name of makeSpool(folder)) await takeIn(name, store);
    console.log(`stored ${store.bytes} bytes`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  console.log(`truth ${(receiving / 1000).toFixed(3)}`);
}

main();
