// Post clean: takes the posts of a forum's export, cleans their lines, cuts them into
// words, and works out which posts are near to each other.
//
// What is wrong: cleanLine cuts the blanks at the end of a line with /\s+$/.  Some
// posts have lines with long runs of blanks in the middle (pasted tables): at each
// blank of such a run the expression starts anew and runs to the run's end, so
// the work grows with the square of the run.
// First screen should say: most of the time is in the regular expression
// /\s+$/ (RegExp replace) in cleanLine (line marked FAULT), for a few lines with runs
// of thousands of blanks.
// Mend: line.trimEnd().
'use strict';

const { performance } = require('perf_hooks');

let inLines = 0;

class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  below(limit) {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 4294967296) * limit);
  }
}

const SYLLABLES = ['ka', 'lo', 'mi', 'ren', 'tas', 'ul', 'ver', 'no', 'sti', 'gan', 'ep', 'ro'];

function word(random) {
  let text = '';
  for (let n = 1 + random.below(3); n > 0; n--) text += SYLLABLES[random.below(SYLLABLES.length)];
  return text;
}

function makePost(number, random) {
  const lines = [];
  for (let n = 12 + random.below(10); n > 0; n--) {
    const words = [];
    for (let k = 4 + random.below(12); k > 0; k--) words.push(word(random));
    lines.push(words.join(' ') + ' '.repeat(random.below(4)));
  }
  if (number % 25 === 3) {
    // a pasted table
    for (let row = 0; row < 2; row++) {
      lines.push(`${word(random)}${' '.repeat(6000 + random.below(1500))}${random.below(1000)}`);
    }
  }
  return lines.join('\n');
}

function cleanLine(line) { // FAULT regular-expressions
  return line.replace(/\s+$/, '').toLowerCase(); // FAULT regular-expressions
}

function cleanPost(text) {
  const began = performance.now();
  const lines = text.split('\n').map(cleanLine);
  inLines += performance.now() - began;
  return lines.filter((line) => line.length > 0);
}

function countWords(lines) {
  const counts = new Map();
  for (const line of lines) {
    for (const part of line.split(' ')) {
      if (part !== '') counts.set(part, (counts.get(part) || 0) + 1);
    }
  }
  return counts;
}

function weigh(posts) {
  const spread = new Map();
  for (const counts of posts) {
    for (const key of counts.keys()) spread.set(key, (spread.get(key) || 0) + 1);
  }
  return posts.map((counts) => {
    let square = 0;
    const weights = new Map();
    for (const [key, count] of counts) {
      const weight = (1 + Math.log(count)) * Math.log(posts.length / spread.get(key) + 1);
      weights.set(key, weight);
      square += weight * weight;
    }
    return { weights, norm: Math.sqrt(square) };
  });
}

function nearest(weighed, index, window) {
  const own = weighed[index];
  let best = -1;
  let bestScore = -1;
  for (let other = Math.max(0, index - window); other < index; other++) {
    let sum = 0;
    for (const [key, weight] of own.weights) {
      const theirs = weighed[other].weights.get(key);
      if (theirs !== undefined) sum += weight * theirs;
    }
    const score = sum / (own.norm * weighed[other].norm);
    if (score > bestScore) {
      bestScore = score;
      best = other;
    }
  }
  return { best, score: bestScore };
}

function main() {
  const random = new Random(17);
  const posts = [];
  for (let number = 0; number < 900; number++) posts.push(countWords(cleanPost(makePost(number, random))));
  const weighed = weigh(posts);
  let total = 0;
  let close = { score: 0 };
  for (let index = 1; index < weighed.length; index++) {
    const found = nearest(weighed, index, 650);
    total += found.score;
    if (found.score > close.score) close = { index, ...found };
  }
  console.log(`${posts.length} posts, mean nearness ${(total / posts.length).toFixed(4)}, ` +
    `closest ${close.index}/${close.best} ${close.score.toFixed(4)}`);
  console.log(`truth ${Math.max(0, inLines / 1000 - 0.012).toFixed(3)}`);
}

main();
