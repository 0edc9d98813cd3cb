import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

test('concurrent callers each resume in a separate turn of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const resumedIn = await Promise.all(
    Array.from({ length: 20 }, async () => {
      await yieldToEventLoop();
      return turns;
    }),
  );
  isOver = true;
  assert.equal(new Set(resumedIn).size, 20);
});
