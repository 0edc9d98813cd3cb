import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

/** Returns committed symbolic links from the output of `git ls-files --stage`: each would point to a path on one machine. */
function linksIn(listing: string): string[] {
  return listing.split('\n').filter((line) => line.startsWith('120000 '));
}

test('no symbolic link is committed', (t) => {
  if (!existsSync(join(root, '.git'))) return t.skip('this is no clone');
  const listing = execFileSync('git', ['ls-files', '--stage'], { cwd: root, encoding: 'utf8', maxBuffer: 64_000_000 });
  assert.ok(listing.includes('README.md'));
  assert.deepEqual(linksIn(listing), []);
});

test('a committed link is noticed', () => {
  const link = '120000 2f18891d6c596a76a69921ffaf68ef2dab6a6767 0\tapps/console/node_modules';
  assert.deepEqual(linksIn(`100644 00 0\tREADME.md\n${link}\n`), [link]);
});
