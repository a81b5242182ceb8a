// Memory over time by kind, and of the lines that keep growing.

const RSS_KINDS = [['blocks of malloc', '#0f9d58'], ["other memory of its own: mapped, the allocator's, stacks", '#b0a3cc'],
                   ['files, code, shared memory', '#3b7dd8']];
const GROWN = {heap: 'blocks of malloc', mapping: 'mappings', python: 'Python objects', segment: 'GPU segments', tensor: 'GPU tensors'};

// What was resident of all processes at a time, by RSS_KINDS; of blocks no more than there can be: what was never touched
// is not resident.
function rssKinds(view, time) {
  const out = [0, 0, 0];
  for (const process of view.processes) {
    if (!process.series.rss) continue;
    const all = view.valueAt(process, 'rss', time), files = Math.min(all, view.valueAt(process, 'file', time));
    const blocks = Math.min(all - files, view.valueAt(process, 'heap', time));
    [blocks, all - files - blocks, files].forEach((bytes, i) => out[i] += bytes);
  }
  return out;
}

// Logs of older versions do not say what is of files.
function rssTrack(view, title) {
  const any = name => view.processes.some(process => process.series[name]), known = [any('heap'), true, any('file')];
  const names = RSS_KINDS.map(([name], i) => i === 1 && !known[2] ? 'all else' : name);
  const track = new Track(view, title, 80, (context, x, width, height) =>
    view.areas(context, width, height, RSS_KINDS.map(([, colour]) => colour), 'bytes', time => rssKinds(view, time), view.looks('rss')),
  time => [[title, amount(view.sumAt('rss', time), 'bytes')],
           ...rssKinds(view, time).map((bytes, i) => [names[i], amount(bytes, 'bytes')]).filter((_, i) => known[i])]);
  if (known[0] || known[2]) track.element.firstChild.append(...RSS_KINDS.flatMap(([, colour], i) => known[i] ? [swatch(colour), names[i]] : []));
  return track;
}

// A line that keeps growing. `leak`: {begin, interval, values, ...}: values[i] was live when i + 1 intervals had gone by.
class LeakTrack extends Track {
  constructor(view, leak) {
    const several = view.processes.length > 1 ? ' of pid ' + leak.pid : '', title = `${GROWN[leak.kind] ?? leak.kind} that grow${several}: `;
    super(view, title + leak.site, 40, (context, x, width, height) =>
      view.areas(context, width, height, ['#e53935'], 'bytes', time => [this.at(time)], []),
    time => [[leak.site, amount(this.at(time), 'bytes')]]);
    this.leak = leak;
    this.rate = el('span', {class: 'number'});
    this.element.firstChild.replaceChildren(title,
      view.app.source.has(leak.file) ? view.app.sourceLink(leak.file, leak.line, leak.site) : leak.site, ', ', this.rate);
  }

  at(time) {
    const {begin, interval, values} = this.leak, i = Math.floor((time - begin) / interval) - 1;
    return i < 0 || values.length === 0 ? 0 : values[Math.min(i, values.length - 1)];
  }

  // How fast it grew in the part that is chosen.
  tell(from, to) {
    const {begin, interval, values, rate, error} = this.leak;
    const first = Math.max(from, begin), last = Math.min(to, begin + interval * values.length);
    const grown = this.at(last) - this.at(first), whole = from <= 0 && to >= this.view.end;
    this.rate.textContent = whole ? `${amount(rate, 'bytes')} a second, \u00b1 ${amount(error, 'bytes')}`
      : last - first < interval ? 'too short a part for a rate'
      : `${grown < 0 ? '-' : ''}${amount(Math.abs(grown) / (last - first) * 1e9, 'bytes')} a second in this part`;
  }
}
