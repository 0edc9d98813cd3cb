import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './chain-view.ts';

test('a fixed number of tasks runs at a time, in order, and one that fails frees its slot', async () => {
  const turns = createTurns(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 7 }, (_, index) =>
      turns(async () => {
        started.push(index);
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        if (index % 3 === 0) throw new Error('failed');
        return index;
      }),
    ),
  );
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(most, 2);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
    ['failed', 1, 2, 'failed', 4, 5, 'failed'],
  );
});
