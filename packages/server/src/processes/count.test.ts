import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processCount } from './count.ts';

test('a server is one process by default, as many as configured, or one per core', () => {
  assert.equal(processCount(undefined, 8), 1);
  assert.equal(processCount('3', 8), 3);
  assert.equal(processCount('auto', 8), 8);
  assert.equal(processCount('auto', 1_000), 256);
});

test('an invalid number of processes is refused with a clear message', () => {
  for (const requested of ['', '0', '-1', '1.5', '1e3', ' 2', '257', '9'.repeat(30), 'all', 'AUTO'])
    assert.throws(() => processCount(requested, 8), /^UsageError|whole number from 1 to 256, or auto/);
});
