import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { isUsual } from './volume.ts';

const work = Buffer.alloc(32 * 1024 * 1024, 'latchkey');
/** What the baseline takes on a quiet machine of two cores. */
const quietMs = 30;
const rounds = 5;

/**
 * Tells how long something took that is promised within a bound. `npm test` only prints it, because a busy machine
 * says nothing about the product. The deep run also holds it to the bound, stretched by as much as this machine is
 * slower, at this moment, than a quiet one: the baseline is work that has nothing to do with the product.
 */
export async function bound(t: TestContext, what: string, tookMs: number, limitMs: number): Promise<void> {
  if (isUsual) {
    t.diagnostic(`${what}: ${Math.round(tookMs)} ms (promised: ${limitMs} ms, held by the deep run)`);
    return;
  }
  const stretched = limitMs * Math.max(1, (await baselineMs()) / quietMs);
  t.diagnostic(`${what}: ${Math.round(tookMs)} ms (bound ${limitMs} ms, here ${Math.round(stretched)} ms)`);
  assert.ok(tookMs <= stretched, `${what} took ${Math.round(tookMs)} ms of ${Math.round(stretched)} ms`);
}

/** The slowest of some rounds of the same work, waits for the processor included. */
async function baselineMs(): Promise<number> {
  let slowest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    createHash('sha256').update(work).digest();
    slowest = Math.max(slowest, performance.now() - startedAt);
  }
  return slowest;
}
