// Members' site of a climbing hall: they sign in and look at the routes that others who climb alike have liked.
//
// What is wrong: sign-in derives the key of each password with pbkdf2Sync in the event loop, 33 ms for each of 72
// sign-ins; no request is answered meanwhile, and the other processor has nothing to do.
// First screen should say: synchronous calls of cryptography block the event loop, the line in signIn(), some 1.6 s.
// Mend: await util.promisify(crypto.pbkdf2), which Node's own threads compute.
'use strict';
const crypto = require('crypto');
const http = require('http');

const ITERATIONS = 210000;
const CLIMBERS = 11000;
const ROUTES = 96;
const STAFF = ['anna', 'bela', 'carl', 'dora', 'emil'];
const VISITORS = 6;
const VISITS = 12;

const members = new Map();
const sessions = new Map();
const ratings = new Float32Array(CLIMBERS * ROUTES);
let hashing = 0; // ms

function seedMembers() {
  for (const [number, name] of STAFF.entries()) {
    const salt = crypto.randomBytes(16);
    const key = crypto.pbkdf2Sync(`rope-${name}`, salt, ITERATIONS, 32, 'sha256');
    members.set(name, { salt, key, climber: number * 2111 });
  }
  let state = 20260;
  for (let i = 0; i < ratings.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    ratings[i] = state % 5 === 0 ? (state >>> 8) % 6 : 0;
  }
}

async function bodyOf(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString());
}

async function signIn(request) {
  const { name, password } = await bodyOf(request);
  const member = members.get(name);
  if (!member) return [404, { error: 'no such member' }];
  const began = performance.now();
  const key = crypto.pbkdf2Sync(password, member.salt, ITERATIONS, 32, 'sha256'); // FAULT sync-calls
  hashing += performance.now() - began;
  if (!crypto.timingSafeEqual(key, member.key)) return [401, { error: 'wrong password' }];
  const session = crypto.randomUUID();
  sessions.set(session, member);
  return [200, { session }];
}

// The routes that the forty who rate most alike have liked, without those that the member has climbed.
function routesFor(member, wall) {
  const own = ratings.subarray(member.climber * ROUTES, (member.climber + 1) * ROUTES);
  const alike = [];
  for (let climber = 0; climber < CLIMBERS; climber++) {
    let dot = 0;
    let norm = 1;
    for (let route = 0, at = climber * ROUTES; route < ROUTES; route++, at++) {
      dot += own[route] * ratings[at];
      norm += ratings[at] * ratings[at];
    }
    alike.push({ climber, score: dot / Math.sqrt(norm) });
  }
  alike.sort((a, b) => b.score - a.score);
  const votes = [];
  for (let route = wall; route < ROUTES; route += 4) {
    if (own[route] > 0) continue;
    let sum = 0;
    for (const { climber, score } of alike.slice(1, 41)) sum += score * ratings[climber * ROUTES + route];
    votes.push({ route, sum: Math.round(sum * 100) / 100 });
  }
  return votes.sort((a, b) => b.sum - a.sum).slice(0, 8);
}

async function answer(request) {
  if (request.url === '/sessions') return signIn(request);
  const member = sessions.get(request.headers.authorization);
  if (!member) return [403, { error: 'sign in first' }];
  return [200, { routes: routesFor(member, Number(request.url.split('/').pop())) }];
}

async function handle(request, response) {
  const [status, content] = await answer(request);
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(content));
}

function ask(agent, port, path, session, content) {
  return new Promise((resolve, reject) => {
    const headers = session ? { authorization: session } : {};
    const method = content ? 'POST' : 'GET';
    const request = http.request({ port, host: '127.0.0.1', agent, path, method, headers });
    request.on('response', (response) => bodyOf(response).then(resolve, reject)).on('error', reject);
    request.end(content && JSON.stringify(content));
  });
}

async function visitor(agent, port, number) {
  let liked = 0;
  for (let visit = 0; visit < VISITS; visit++) {
    const name = STAFF[(number + visit) % STAFF.length];
    const { session } = await ask(agent, port, '/sessions', null, { name, password: `rope-${name}` });
    for (let wall = 0; wall < 4; wall++) {
      const { routes } = await ask(agent, port, `/walls/${wall}`, session);
      liked += routes[0].sum;
    }
  }
  return liked;
}

async function main() {
  const server = http.createServer(handle);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new http.Agent({ keepAlive: true });
  const visits = Array.from({ length: VISITORS }, (_, number) => visitor(agent, server.address().port, number));
  const liked = await Promise.all(visits);
  agent.destroy();
  server.close();
  console.log(`${sessions.size} sessions, liked ${liked.reduce((a, b) => a + b).toFixed(1)}`);
  // Mended, Node's threads do it beside the loop. Two processors could save 0.75 of its time, when all work is halved;
  // 0.7 it was by both versions on an idle machine, as at times all visitors wait for the loop.
  console.log(`truth ${(0.7 * hashing / 1000).toFixed(3)}`);
}

seedMembers();
main();
