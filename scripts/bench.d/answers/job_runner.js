// Runs render jobs through a small worker loop that can be stopped, and reports statistics.
//
// What is wrong: each job races with a promise that settles when all is done, and leaves its result there until then.
// First screen should say: memory grows all the time, and what may keep it: the line with Promise.race.
// Mend: await the job alone, and look at the flag.
'use strict';
const crypto = require('crypto');
const { EventEmitter } = require('events');

const JOBS = 9200;
const LANES = 4;
const USUAL_BYTES = 236e6;

class Shutdown extends EventEmitter {
  constructor() {
    super();
    this.requested = false;
    this.signal = new Promise((resolve) => {
      this.once('stop', () => {
        this.requested = true;
        resolve({ stopped: true });
      });
    });
  }
}

class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  next(limit) {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state % limit;
  }
}

function renderTile(job) {
  const { size, zoom, cx, cy } = job;
  const pixels = new Array(size * size);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const a = cx + ((x / size) - 0.5) * zoom;
      const b = cy + ((y / size) - 0.5) * zoom;
      let u = 0;
      let v = 0;
      let n = 0;
      while (n < 18 && u * u + v * v < 4) {
        const w = u * u - v * v + a;
        v = 2 * u * v + b;
        u = w;
        n++;
      }
      pixels[y * size + x] = n + 0.5;
    }
  }
  return pixels;
}

async function perform(job) {
  await null;
  const pixels = renderTile(job);
  let sum = 0;
  for (const value of pixels) sum += value;
  return { id: job.id, pixels, mean: sum / pixels.length };
}

class Statistics {
  constructor(keep) {
    this.keep = keep;
    this.recent = [];
    this.count = 0;
    this.total = 0;
    this.hash = crypto.createHash('sha1');
  }

  add(result) {
    this.count++;
    this.total += result.mean;
    this.recent.push(result);
    if (this.recent.length > this.keep) this.recent.shift();
  }

  finish() {
    this.recent.sort((a, b) => a.id - b.id);
    for (const result of this.recent) this.hash.update(Float64Array.from(result.pixels));
    return this.hash.digest('hex').slice(0, 16);
  }
}

async function lane(queue, shutdown, statistics) {
  while (!shutdown.requested) {
    const job = queue.next();
    if (job.done) return;
    const outcome = await Promise.race([perform(job.value), shutdown.signal]); // FAULT host-memory-grows
    if (outcome.stopped) return;
    statistics.add(outcome);
  }
}

function* jobs() {
  const random = new Random(42);
  for (let id = 0; id < JOBS; id++) {
    yield {
      id,
      size: 96,
      zoom: 0.5 + random.next(1000) / 800,
      cx: -1.2 + random.next(1000) / 900,
      cy: -0.6 + random.next(1000) / 900,
    };
  }
}

async function main() {
  const shutdown = new Shutdown();
  const statistics = new Statistics(400);
  process.once('SIGTERM', () => shutdown.emit('stop'));
  const queue = jobs();
  await Promise.all(Array.from({ length: LANES }, () => lane(queue, shutdown, statistics)));
  console.log(`jobs ${statistics.count} mean ${(statistics.total / statistics.count).toFixed(6)}`);
  console.log(`recent ${statistics.finish()}`);
}

main().then(() => console.log(`truth ${process.resourceUsage().maxRSS * 1024 - USUAL_BYTES} bytes`));
