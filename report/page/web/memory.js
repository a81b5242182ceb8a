// Memory over time by kind, and of the lines that keep growing.

const RSS_KINDS = [['blocks of malloc, at most', '#0f9d58'], ["other memory of its own: mapped, the allocator's, stacks", '#b0a3cc'],
                   ['files, code, shared memory', '#3b7dd8']];
const LEAST_LOOKS = 3;  // apart, for a rate
const GROWN = {heap: 'blocks of malloc', mapping: 'mappings', python: 'Python objects', segment: 'GPU segments', tensor: 'GPU tensors'};

// What was resident of all processes at a time, by RSS_KINDS; of blocks no more than there can be, as nobody knows which
// of them were ever touched.
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

// A line that keeps growing. `leak`: {begin, end, interval, values, ...}: values[i] was live when i + 1 intervals had gone
// by since `begin`, where its process began; the last one until that ended, but for what is given back then.
class LeakTrack extends Track {
  constructor(view, leak) {
    const whose = view.processes.length > 1 ? ` of pid ${leak.pid} from ${leak.begin > 0 ? amount(leak.begin, 'time') : '0 s'} on` : '';
    const title = `${GROWN[leak.kind] ?? leak.kind} that grow${whose}: `;
    super(view, title + leak.site, 40, (context, x, width, height) =>
      view.areas(context, width, height, ['#e53935'], 'bytes', time => [this.at(time)], []),
    time => [[leak.site, amount(this.at(time), 'bytes')]]);
    this.leak = leak;
    this.rate = el('span', {class: 'number'});
    this.element.firstChild.replaceChildren(title,
      view.app.source.has(leak.file) ? view.app.sourceLink(leak.file, leak.line, leak.site) : leak.site, ', ', this.rate);
  }

  at(time) {
    const {begin, end, interval, values} = this.leak, i = Math.floor((time - begin) / interval) - 1;
    return i < 0 || time > end ? 0 : values[Math.min(i, values.length - 1)];
  }

  // How fast it grew in the part that is chosen, from the first look in it to the last.
  tell(from, to) {
    const {begin, end, interval, values, rate, error} = this.leak;
    const first = Math.max(0, Math.ceil((from - begin) / interval) - 1);
    const last = Math.min(values.length, Math.floor((to - begin) / interval)) - 1;
    const grown = values[last] - values[first], words = bytes => (bytes < 0 ? '-' : '') + amount(Math.abs(bytes), 'bytes');
    this.rate.textContent = from <= 0 && to >= this.view.end
      ? `${amount(rate, 'bytes')} a second in the later half of its growth, \u00b1 ${amount(error, 'bytes')}`
      : from >= end || to <= begin ? 'whose process did not live in this part'
      : last - first < LEAST_LOOKS ? 'too short a part for a rate'
      : `${words(grown / (last - first) / interval * 1e9)} a second in this part`;
  }
}

// What the page has no track for.
function leaksLeftOut(view) {
  const left = view.time.leaks_left_out;
  return left === 0 ? [] : [{paint() {}, element: el('p', {class: 'quiet'}, `${grouped(left)} more ${left === 1 ? 'line grows' : 'lines grow'}: `,
    el('a', {href: view.app.link({tab: 'tables', view: 'leaks'})}, '--view leaks'))}];
}
