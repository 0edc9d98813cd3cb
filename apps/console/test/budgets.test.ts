import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { locales } from '@latchkey/kernel/messages';

const dist = resolve(import.meta.dirname, '../dist');

interface Chunk {
  file: string;
  src?: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}
const manifest: Readonly<Record<string, Chunk>> = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

/** A chunk and all that it needs at once. */
function needs(key: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(key)) return found;
  found.add(key);
  for (const next of manifest[key]?.imports ?? []) needs(next, found);
  return found;
}

/** What the scripts weigh on the wire. */
function kilobytes(keys: Iterable<string>): number {
  const files = [...keys].map((key) => manifest[key]?.file ?? '').filter((file) => file.endsWith('.js'));
  return files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0) / 1024;
}

const start = needs('src/console.tsx');

test('the ways in weigh at most 100 KB of scripts', () => {
  const size = kilobytes(needs('src/main.tsx'));
  assert.ok(size > 10 && size <= 100, `${size.toFixed(1)} KB`);
});

test('the console starts with at most 200 KB of scripts', () => {
  const size = kilobytes(start);
  assert.ok(size > 100 && size <= 200, `${size.toFixed(1)} KB`);
});

const evaluator = 'src/rules-file/evaluator.ts';

test('the evaluator of rules, which one page loads, weighs at most 250 KB', () => {
  const size = kilobytes([...needs(evaluator)].filter((needed) => !start.has(needed)));
  assert.ok(size > 50 && size <= 250, `${size.toFixed(1)} KB`);
});

test('a screen adds at most 80 KB of scripts', () => {
  const screens = Object.entries(manifest).filter(([key, chunk]) => chunk.isDynamicEntry === true && key !== evaluator);
  const large = screens
    .map(([key]) => ({ key, size: kilobytes([...needs(key)].filter((needed) => !start.has(needed))) }))
    .filter(({ size }) => size > 80);
  assert.deepEqual(large, []);
});

test('a page loads the messages of one language, at most 7 KB of them, and no parser', () => {
  const messages = Object.keys(manifest).filter((key) => /^src\/messages\/[a-z]{2}(-[A-Z]{2})?\.ts$/.test(key));
  assert.equal(messages.length, locales.length);
  for (const key of messages) {
    assert.ok(!start.has(key) && !needs('src/main.tsx').has(key), `${key} is loaded with every page`);
    assert.ok(kilobytes([key]) <= 7, `${key}: ${kilobytes([key]).toFixed(1)} KB`);
  }
  const files = [...new Set([...start, ...needs('src/main.tsx')])].map((key) => manifest[key]?.file ?? '');
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(dist, file), 'utf8'), /EXPECT_ARGUMENT_CLOSING_BRACE/, file);
});
