// Dispatches the jobs of a service to its crews.
//
// What is wrong: shift() on a backlog of up to 99,000 jobs moves all of them for each that is taken.
// First screen should say: V8 moves the rest of an array for each element that Backlog.take() takes, 2.5 s.
// Mend: keep the position of the first one, and cut the array now and then.
'use strict';
// Simulates a day in a dispatch centre: jobs wait in a backlog for free crews.
const crypto = require('crypto');

const JOBS = 100000;
const CREWS = 48;

class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  next() {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state / 4294967296;
  }

  int(limit) {
    return Math.floor(this.next() * limit);
  }
}

class Backlog {
  constructor() {
    this.jobs = [];
    this.longest = 0;
  }

  add(job) {
    this.jobs.push(job);
    if (this.jobs.length > this.longest) this.longest = this.jobs.length;
  }

  take() {
    return this.jobs.shift();  // FAULT array-shifts
  }

  get length() {
    return this.jobs.length;
  }
}

class Crew {
  constructor(name, speed) {
    this.name = name;
    this.speed = speed;
    this.freeAt = 0;
    this.done = 0;
    this.x = 0;
    this.y = 0;
  }

  work(job, now) {
    const way = Math.hypot(job.x - this.x, job.y - this.y);
    const begin = Math.max(now, this.freeAt);
    this.freeAt = begin + way * 0.02 + job.effort / this.speed;
    this.x = job.x;
    this.y = job.y;
    this.done += 1;
    return this.freeAt - job.created;
  }
}

class Protocol {
  constructor() {
    this.hash = crypto.createHash('sha256');
    this.delays = new Float64Array(JOBS);
    this.count = 0;
  }

  note(job, crew, delay) {
    const line = JSON.stringify({ job: job.id, tags: job.tags, crew: crew.name, delay: delay.toFixed(3) });
    const seal = crypto.createHash('sha1').update(line).update(job.body).digest('hex');
    this.hash.update(seal);
    this.delays[this.count++] = delay;
  }

  report() {
    const sorted = this.delays.slice(0, this.count).sort();
    const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(2);
    return `median ${at(0.5)}, 90 % ${at(0.9)}, seal ${this.hash.digest('hex').slice(0, 16)}`;
  }
}

function makeJobs(random) {
  const jobs = [];
  const body = Buffer.alloc(16384);
  for (let i = 0; i < body.length; i++) body[i] = random.int(256);
  for (let id = 0; id < JOBS; id++) {
    jobs.push({
      id,
      created: id * 0.004,
      x: random.int(1000),
      y: random.int(1000),
      effort: 1 + random.int(20),
      tags: [`zone${random.int(30)}`, `kind${random.int(12)}`],
      body,
    });
  }
  return jobs;
}

let spent = 0;

function run(jobs, crews) {
  const backlog = new Backlog();
  const protocol = new Protocol();
  let now = 0;
  let next = 0;
  while (next < jobs.length || backlog.length > 0) {
    while (next < jobs.length && jobs[next].created <= now) backlog.add(jobs[next++]);
    for (const crew of crews) {
      if (crew.freeAt > now) continue;
      const began = performance.now();
      const job = backlog.take();
      spent += performance.now() - began;
      if (job === undefined) break;
      protocol.note(job, crew, crew.work(job, now));
    }
    now += 1;
  }
  return { backlog, protocol };
}

const random = new Random(77);
const jobs = makeJobs(random);
const crews = Array.from({ length: CREWS }, (_, n) => new Crew(`crew${n}`, 1 + (n % 5) * 0.25));
const { backlog, protocol } = run(jobs, crews);
console.log('longest backlog', backlog.longest);
console.log(protocol.report());
console.log('busiest crew', Math.max(...crews.map((c) => c.done)));
console.log('truth ' + (spent / 1000).toFixed(3));
