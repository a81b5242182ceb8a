// When findings were seen, as far as the logs tell: a row for each of them, and words beside it.

function seenTrack(view) {
  const all = view.app.bundle.header.first.findings.found.map((finding, i) => ({...finding, number: i + 1}));
  const shown = all.filter(finding => finding.when.length > 0);
  if (shown.length === 0) return null;
  const row = y => shown[Math.floor((y - 2) / PROCESS_ROW)];
  const title = 'findings' + (shown.length < all.length ? ` (of ${shown.length} of ${all.length} it is known when)` : '');
  const track = new Track(view, title, shown.length * PROCESS_ROW + 4, (context, x, width) => {
    shown.forEach((finding, i) => {
      const y = i * PROCESS_ROW + 2;
      let first = null;
      context.fillStyle = view.app.dark ? '#a5453f' : '#f3a6a0';
      for (const [begin, end] of finding.when) {
        const from = Math.max(0, x(begin)), to = x(end);
        if (to < 0 || from > width) continue;
        context.fillRect(from, y, Math.max(2, to - from), PROCESS_ROW - 2);
        first = Math.min(first ?? from, from);
      }
      context.fillStyle = view.app.ink;
      const text = `${finding.number}. ${finding.title}`, long = context.measureText(text).width;
      if (first !== null) context.fillText(text, Math.max(2, Math.min(first + 4, width - long - 4)), y + 6);
    });
  }, (time, y) => {
    const finding = row(y);
    return finding ? [[`${finding.number}. ${finding.title}`, finding.saves], ['seen', seenWords(finding.when)]] : null;
  });
  track.clicked = y => {
    const finding = row(y);
    if (finding?.when.some(([begin, end]) => begin <= view.to && end >= view.from)) view.app.change({tab: 'first', finding: String(finding.number)});
  };
  return track;
}

// "from 1.2 s to 3.4 s", "at 1.2 s", "7 times, from 1.2 s to 3.4 s"
function seenWords(when) {
  const [from, to] = seenRange(when), words = text => text.replace('0 ns', '0 s');
  if (when.length === 1 && from === to) return words(`at ${amount(from, 'time')}`);
  return (when.length > 1 ? `${grouped(when.length)} times, ` : '') + words(`from ${amount(from, 'time')} to ${amount(to, 'time')}`);
}

function seenRange(when) {
  return [when.reduce((least, [begin]) => Math.min(least, begin), Infinity), when.reduce((most, [, end]) => Math.max(most, end), 0)];
}

// A link to that part of the run, with a little before and after it.
function seenLink(app, when) {
  const [from, to] = seenRange(when), all = Math.max(1, app.bundle.header.time.wall_ns), more = Math.max((to - from) / 20, all / 20);
  return el('a', {href: app.link({tab: 'time', t0: String(Math.round(Math.max(0, from - more))), t1: String(Math.round(Math.min(all, to + more)))})},
            seenWords(when));
}
