// Worker threads, child processes, a compressor, timers, garbage: prints the same lines in every run.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { execFileSync, spawnSync } = require('child_process');
const { createHash } = require('crypto');
const zlib = require('zlib');

function digest(seed) {
  let text = '';
  let hash = '';
  for (let i = 0; i < 4000; ++i) {
    text = createHash('sha256').update(text.slice(-2000) + seed + i).digest('hex') + text.slice(0, 20000);
    hash = createHash('md5').update(zlib.deflateSync(text)).digest('hex');
  }
  return hash;
}

if (!isMainThread) {
  parentPort.postMessage(digest(workerData));
} else {
  const answers = [];
  for (let w = 0; w < 3; ++w) {
    new Worker(__filename, { workerData: w }).on('message', (m) => answers.push(w + ' ' + m));
  }
  console.log(execFileSync('/bin/sh', ['-c', 'echo from a shell; exit 0']).toString().trim());
  console.log(spawnSync('/bin/sh', ['-c', 'exit 5']).status);
  const began = Date.now();
  setTimeout(() => console.log(Date.now() - began >= 300 ? 'timer kept its time' : 'timer was early'), 300);
  process.on('exit', () => console.log(answers.sort().join('\n')));
}
