import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recorded } from './measured.ts';
import { describeSize } from './run.ts';

const manual = readFileSync(new URL('../../../../../docs/sizing.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

const usual = { changes: 0, chains: 1, blockSeconds: 2, servers: 2, workers: 2 };

test('every figure of the calculator is recorded in the manual', () => {
  for (const [name, { value, words }] of Object.entries(recorded)) {
    assert.ok(manual.includes(words), `${name}: "${words}" is not in docs/sizing.md`);
    if (value >= 1)
      assert.ok(words.replaceAll(',', '').includes(String(value)), `${name}: ${value} is not in "${words}"`);
  }
});

test('the measured size comes out as it was measured', () => {
  const text = describeSize({ ...usual, communities: 50_000, members: 5_000_000, changes: 1_000_000 }).join('\n');
  // The manual: 6.2 GB, 9.4 GB a year for a million role changes a month (and 90 days of their items), 17 minutes, 20 shards.
  assert.match(text, /disk +6\.2 GB now, 16\.9 GB in a year/);
  assert.match(text, /shards +at least 20;/);
  assert.match(text, /resync +50,000 calls at least, 17 minutes/);
  assert.doesNotMatch(text, /more than was measured/);
});

test('it says what is extrapolated, and what is not known', () => {
  const more = describeSize({ ...usual, communities: 500_000, members: 50_000_000 }).join('\n');
  assert.match(more, /more than was measured \(50,000 communities, 5,000,000 members\)/);
  assert.match(more, /shards +at least 200;/);
  const small = describeSize({ ...usual, communities: 1, members: 10 }).join('\n');
  assert.match(small, /disk +less than 0\.1 GB now/);
  for (const text of [more, small]) assert.match(text, /Not known\n.*How many/s);
});

test('it counts connections and the calls to nodes', () => {
  const few = describeSize({ ...usual, communities: 10, members: 20_000 }).join('\n');
  assert.match(few, /connections 101 for 2 servers, 2 workers and a signer: raise max_connections from 100/);
  assert.match(few, /following +216,000 calls a day for each EVM chain at most, 216,000 for 1,/);
  // 2,000 members in each community: 10 calls to begin with and 10 for the members.
  assert.match(few, /resync +200 calls at most, if every community has five rules on the chain$/m);
  const small = describeSize({ ...usual, communities: 10, members: 20_000, servers: 1, workers: 1 }).join('\n');
  assert.match(small, /connections 57 for 1 server, 1 worker and a signer: max_connections of 100 is enough/);
  const wide = describeSize({ ...usual, communities: 10, members: 20_000, chains: 20, blockSeconds: 12 }).join('\n');
  assert.match(wide, /following +180,000 calls a day for each EVM chain at most, 3,600,000 for 20,/);
  assert.match(wide, /resync +4,000 calls at most/);
});
