import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldToEventLoop } from './give-way.ts';

test('of many who give way at the same moment each goes on in a turn of its own', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const goneOnIn = await Promise.all(
    Array.from({ length: 20 }, async () => {
      await yieldToEventLoop();
      return turns;
    }),
  );
  isOver = true;
  assert.equal(new Set(goneOnIn).size, 20);
});
