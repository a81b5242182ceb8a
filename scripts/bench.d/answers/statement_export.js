// Builds account statements from bookings and writes them as text files with a summary.
//
// What is wrong: formatDay() makes an Intl.DateTimeFormat for each row.
// First screen should say: more than half of the run went by in making formatters and taking them apart; own line the
// new Intl.DateTimeFormat.
// Mend: one formatter for all rows.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const { performance } = require('perf_hooks');

const ACCOUNTS = 420;
const USUAL = 1.6; // times of the seals that all takes with one formatter
const BOOKINGS = 130;
const KINDS = ['card payment', 'transfer', 'standing order', 'refund', 'fee'];

function makeRandom(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

function makeAccount(number, random) {
  const bookings = [];
  let time = Date.UTC(2024, 0, 1);
  for (let i = 0; i < BOOKINGS; i++) {
    time += (1 + random(5400)) * 60_000;
    bookings.push({
      time,
      cents: random(90_000) - 44_000,
      kind: KINDS[random(KINDS.length)],
      text: `ref ${random(1_000_000).toString(36)} partner ${random(500)}`,
    });
  }
  return { number, opening: random(500_000), bookings };
}

function formatDay(time) {
  const format = new Intl.DateTimeFormat('de-DE', { // FAULT intl-formats
    timeZone: 'Europe/Berlin',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return format.format(time);
}

function formatAmount(cents) {
  const sign = cents < 0 ? '-' : '+';
  const whole = String(Math.floor(Math.abs(cents) / 100));
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '.');
  return `${sign}${grouped},${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}

function statement(account) {
  const lines = [`Account ${account.number}`, `Opening balance ${formatAmount(account.opening)}`];
  let balance = account.opening;
  for (const booking of account.bookings) {
    balance += booking.cents;
    lines.push([
      formatDay(booking.time),
      booking.kind.padEnd(16),
      booking.text.padEnd(28),
      formatAmount(booking.cents).padStart(14),
      formatAmount(balance).padStart(14),
    ].join(' '));
  }
  lines.push(`Closing balance ${formatAmount(balance)}`);
  return { text: lines.join('\n') + '\n', balance };
}

// Keyed signature over the statement, stretched so that it also serves as a lookup token.
function seal(text) {
  const key = crypto.pbkdf2Sync(text, 'statement-seal', 12_000, 32, 'sha256');
  return key.toString('hex').slice(0, 24);
}

function summarise(accounts) {
  const byKind = new Map();
  for (const account of accounts) {
    for (const { kind, cents } of account.bookings) {
      const entry = byKind.get(kind) ?? { count: 0, cents: 0 };
      entry.count++;
      entry.cents += cents;
      byKind.set(kind, entry);
    }
  }
  return [...byKind].sort(([a], [b]) => (a < b ? -1 : 1));
}

let sealed = 0;

function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'statements-'));
  try {
    const random = makeRandom(8151);
    const accounts = [];
    for (let n = 0; n < ACCOUNTS; n++) accounts.push(makeAccount(100_000 + n, random));
    const total = crypto.createHash('sha256');
    let bytes = 0;
    for (const account of accounts) {
      const { text, balance } = statement(account);
      const began = performance.now();
      const seals = seal(text);
      sealed += performance.now() - began;
      const packed = zlib.gzipSync(text + seals + '\n', { level: 9 });
      fs.writeFileSync(path.join(folder, `${account.number}.txt.gz`), packed);
      total.update(text).update(String(balance));
      bytes += text.length;
    }
    console.log('files', fs.readdirSync(folder).length, 'characters', bytes);
    console.log('digest', total.digest('hex').slice(0, 24));
    for (const [kind, { count, cents }] of summarise(accounts)) {
      console.log(kind.padEnd(16), count, formatAmount(cents));
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

main();
console.log(`truth ${((performance.now() - USUAL * sealed) / 1000).toFixed(3)}`);
