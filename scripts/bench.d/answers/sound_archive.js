// Copies the notes of an archive, whose service gives them page by page: where the next page begins stands in the one
// before. Nothing is wrong: what takes the time is the service.
'use strict';
const { fork } = require('node:child_process');
const http = require('node:http');

const NOTES = 3000;
const PAGE = 20;

function serve() {
  const server = http.createServer((request, response) => {
    const from = Number(new URL(request.url, 'http://archive').searchParams.get('from') ?? 0);
    const notes = [];
    for (let i = from; i < Math.min(NOTES, from + PAGE); i++) notes.push({ id: i, text: `note ${i} `.repeat(1 + i % 9) });
    const next = from + PAGE < NOTES ? from + PAGE : null;
    setTimeout(() => response.end(JSON.stringify({ notes, next })), 8);
  });
  server.listen(0, () => process.send(server.address().port));
  process.on('disconnect', () => process.exit());
}

const agent = new http.Agent({ keepAlive: true });

function page(port, from) {
  return new Promise((resolve, reject) => {
    http.get({ port, path: `/notes?from=${from}`, agent }, (response) => {
      let text = '';
      response.on('data', (part) => { text += part; });
      response.on('end', () => resolve(JSON.parse(text)));
    }).on('error', reject);
  });
}

async function main(port) {
  const kept = new Map();
  for (let from = 0; from !== null;) {
    const { notes, next } = await page(port, from);
    for (const note of notes) kept.set(note.id, note.text);
    from = next;
  }
  let characters = 0;
  for (const text of kept.values()) characters += text.length;
  console.log('notes', kept.size, 'characters', characters);
  agent.destroy();
}

if (process.argv[2] === 'serve') {
  serve();
} else {
  const service = fork(__filename, ['serve']);
  service.once('message', async (port) => {
    await main(port);
    service.disconnect();
  });
}
