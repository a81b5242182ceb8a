# node: worker threads with shared memory, child processes, streams through zlib and crypto, timers, a server.
cat >work.js <<'JS'
const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');
const crypto = require('crypto'), zlib = require('zlib'), http = require('http'), cp = require('child_process');
if (!isMainThread) {
  const cells = new Int32Array(workerData.shared);
  for (let i = 0; i < 200000; ++i) Atomics.add(cells, i % 16, 1);
  let made = [];
  for (let i = 0; i < 300000; ++i) made.push({ i, s: 'x' + i % 100 });
  parentPort.postMessage(made.reduce((sum, one) => sum + one.i + one.s.length, 0));
} else (async () => {
  const shared = new SharedArrayBuffer(64), sums = [];
  await Promise.all([...Array(6)].map(() => new Promise((done, failed) => {
    const worker = new Worker(__filename, { workerData: { shared } });
    worker.on('message', m => sums.push(m)); worker.on('error', failed); worker.on('exit', done);
  })));
  console.log('workers', sums.join(), new Int32Array(shared).join());
  const keys = await Promise.all([...Array(24)].map((_, i) => new Promise(done =>
    crypto.pbkdf2('word', 'salt' + i, 30000, 32, 'sha256', (_, key) => done(key.toString('hex'))))));
  console.log('keys', crypto.createHash('sha256').update(keys.join()).digest('hex'));
  const text = Buffer.from([...Array(200000).keys()].join());
  const sizes = await Promise.all([...Array(8)].map(() => new Promise(done =>
    zlib.gzip(text, (_, packed) => zlib.gunzip(packed, (_, back) => done(back.equals(text)))))));
  console.log('zlib', sizes.join());
  const server = http.createServer((request, answer) => answer.end(request.url.repeat(50)));
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  let bytes = 0;
  const ask = n => new Promise((done, failed) => http.get({ port: server.address().port, host: '127.0.0.1', path: '/' + n },
    answer => answer.on('data', d => bytes += d.length).on('end', done)).on('error', failed));
  for (let turn = 0; turn < 20; ++turn) await Promise.all([...Array(40)].map((_, n) => ask(n)));
  server.close();
  console.log('http', bytes);
  const children = await Promise.all([...Array(6)].map((_, n) => new Promise(done =>
    cp.execFile(process.execPath, ['-e', `console.log(${n} ** 5)`], (error, out) => done(error || out.trim())))));
  console.log('children', children.join());
  const regular = /^(a+)+$/, evil = 'a'.repeat(22) + 'b';
  console.log('regexp', regular.test(evil));
})();
JS
node work.js
echo "node ended with $?"
