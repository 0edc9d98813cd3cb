import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openEngine } from './engine.ts';
import { sampleContext, sampleIndex } from './sample-index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function usedMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test('10,000 different queries leave nothing in memory', async () => {
  const engine = await openEngine(sampleIndex);
  // Each has one word of 240 letters: retained, they would take more than 2 MB.
  const ask = (number: number) => engine.find(`w${number}`.padEnd(240, 'x'), sampleContext);
  for (let number = 0; number < 100; number += 1) ask(number);
  const before = usedMb();
  for (let number = 100; number < 10_100; number += 1) ask(number);
  const grown = usedMb() - before;
  assert.ok(grown < 1, `${grown.toFixed(2)} MB more are in use.`);
});
