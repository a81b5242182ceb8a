// Live departure board: viewers connect, get a rendered snapshot, follow the updates for a
// while and leave again. Simulates a busy afternoon and reports what was sent.
//
// What is wrong: Every session adds a listener to the shared emitter and never removes it; the closure keeps the
// 200 KB frame.
// Mend: Timetable.off('change', ...) in close.
'use strict';
const { EventEmitter } = require('node:events');
const { createHash } = require('node:crypto');

const VIEWERS = Number(process.argv[2] || 2400);
const STATIONS = 400;
const USUAL_BYTES = 62e6;

class Timetable extends EventEmitter {
  constructor() {
    super();
    this.setMaxListeners(0);
    this.rows = Array.from({ length: STATIONS }, (_, i) => ({
      station: `station ${i}`,
      train: `RE ${1000 + ((i * 37) % 900)}`,
      minute: (i * 17) % 60,
      late: 0,
    }));
    this.seed = 99;
  }

  next(n) {
    this.seed = (Math.imul(this.seed, 1103515245) + 12345) >>> 0;
    return (this.seed >>> 8) % n;
  }

  advance() {
    const row = this.rows[this.next(STATIONS)];
    row.late = this.next(25);
    this.emit('change', row);
  }
}

class ViewerSession {
  constructor(id, timetable) {
    this.id = id;
    this.timetable = timetable;
    this.sent = 0;
    this.open = true;
    this.frame = this.render();
    this.onChange = (row) => this.push(row);
    timetable.on('change', this.onChange); // FAULT host-memory-grows
  }

  render() {
    const frame = Buffer.alloc(this.timetable.rows.length * 512);
    let at = 0;
    for (const row of this.timetable.rows) {
      const text = `${row.station.padEnd(20)}${row.train.padEnd(10)}${String(row.minute).padStart(2, '0')} +${row.late}`;
      frame.write(text, at, 'latin1');
      frame.writeUInt32LE(this.id, at + 500);
      at += 512;
    }
    return frame;
  }

  push(row) {
    if (!this.open) return;
    const at = Number(row.station.slice(8)) * 512;
    frameWrite(this.frame, at, row);
    this.sent++;
  }

  close(stats) {
    const hash = createHash('sha1').update(this.frame).digest('hex');
    stats.sent += this.sent;
    stats.digest = createHash('sha1').update(stats.digest + hash).digest('hex');
    this.open = false;
    stats.closedBytes += this.frame.length;
  }
}

function frameWrite(frame, at, row) {
  frame.write(`+${String(row.late).padEnd(3)}`, at + 33, 'latin1');
}

async function main() {
  const timetable = new Timetable();
  const stats = { sent: 0, digest: '', closedBytes: 0 };
  const present = [];
  for (let id = 0; id < VIEWERS; id++) {
    present.push(new ViewerSession(id, timetable));
    for (let k = 0; k < 12; k++) timetable.advance();
    if (present.length > 25) present.splice(timetable.next(present.length), 1)[0].close(stats);
    if (id % 2 === 0) await new Promise((done) => setTimeout(done, 3));
  }
  const kept = stats.closedBytes;
  for (const session of present) session.close(stats);
  console.log(`${VIEWERS} viewers, ${stats.sent} updates sent`);
  console.log(`digest ${stats.digest.slice(0, 16)}`);
  console.log(`truth ${kept - USUAL_BYTES} bytes`);
}

main();
