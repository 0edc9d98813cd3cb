import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookRetry } from './deliver.ts';

test('a message is attempted ten times over 75.6 hours and then given up', () => {
  const triedAtSeconds = [0];
  for (let failures = 1; failures < 100; failures += 1) {
    const pauseSeconds = webhookRetry.delaySeconds(failures);
    if (pauseSeconds === undefined) break;
    triedAtSeconds.push((triedAtSeconds.at(-1) ?? 0) + pauseSeconds);
  }
  assert.equal(triedAtSeconds.length, 10);
  assert.deepEqual(triedAtSeconds.slice(0, 4), [0, 5, 305, 2_105]);
  assert.equal(triedAtSeconds.at(-1), 272_105);
  assert.equal((272_105 / 3_600).toFixed(1), '75.6');
});
