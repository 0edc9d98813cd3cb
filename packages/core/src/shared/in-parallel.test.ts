import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inParallel } from './in-parallel.ts';

describe('running tasks in parallel', () => {
  it('returns results in order, whichever ends first, and never exceeds the concurrency limit', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const answers = inParallel([1, 2, 3, 4, 5], 2, async (item) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
      });
      return item * 10;
    });
    // The task that started last ends first.
    while (waiting.length > 0) {
      waiting.pop()?.();
      await new Promise(setImmediate);
    }
    assert.deepEqual(await answers, [10, 20, 30, 40, 50]);
    assert.equal(most, 2);
    assert.deepEqual(await inParallel([], 2, () => Promise.reject(new Error('never'))), []);
  });

  it('starts nothing after a failure, and ends when the started tasks have ended', async () => {
    const started: number[] = [];
    let hasEnded = false;
    const answers = inParallel([1, 2, 3, 4], 2, async (item) => {
      started.push(item);
      if (item === 1) throw new Error('no');
      await new Promise(setImmediate);
      hasEnded = true;
    });
    await assert.rejects(answers, /^Error: no$/);
    assert.deepEqual(started, [1, 2]);
    assert.ok(hasEnded);
  });
});
