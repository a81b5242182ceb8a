// How numbers read: as in the report's tables (report/show/numbers.hpp).

const TIME_UNITS = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]];
const BYTE_UNITS = [['TiB', 2 ** 40], ['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 1024], ['B', 1]];
const DECIMAL_UNITS = [['P', 1e15], ['T', 1e12], ['G', 1e9], ['M', 1e6], ['K', 1e3], ['', 1]];
const RATE_NAMES = {flops: 'FLOP', flop_rate: 'FLOP/s', byte_rate: 'B/s'};

function unitsOf(kind) {
  if (kind === 'time') return TIME_UNITS;
  if (kind === 'bytes') return BYTE_UNITS;
  if (kind in RATE_NAMES) return DECIMAL_UNITS.map(([name, size]) => [name + RATE_NAMES[kind], size]);
  return [['', 1]];
}

// The unit in which `largest` reads well: [name, size].
function unitFor(kind, largest) {
  const units = unitsOf(kind);
  return units.find(([, size]) => Math.abs(largest) >= size) ?? units[units.length - 1];
}

function grouped(value) {
  return Math.round(value).toLocaleString('en-US');
}

// Three significant digits, and never 0 for what is not 0.
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.001) return value < 0 ? '>-0.001' : '<0.001';
  if (size >= 1000) return grouped(value);
  return value.toFixed(size >= 100 ? 1 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function inUnit(value, kind, unit) {
  if (kind === 'count' || kind === 'plain') return kind === 'plain' ? String(value) : grouped(value);
  return unit[1] === 1 ? grouped(value) : digits(value / unit[1]);
}

// With its unit: "1.23 s", "45.6 MiB", "1,234".
function amount(value, kind) {
  const unit = unitFor(kind, value);
  return (inUnit(value, kind, unit) + ' ' + unit[0]).trim();
}

// "12.3 %"
function percent(part, whole) {
  if (!(whole > 0)) return '-';
  const share = 100 * part / whole;
  return (share !== 0 && Math.abs(share) < 0.05 ? '<0.1' : share.toFixed(1)) + ' %';
}
