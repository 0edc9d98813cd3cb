import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { isUsual } from './volume.ts';

const work = Buffer.alloc(32 * 1024 * 1024, 'latchkey');
/** How long the baseline takes on an idle machine with two cores. */
const quietMs = 30;
const rounds = 5;

/**
 * Reports how long something took that has a time limit. `npm test` only prints it, because a busy machine says nothing about the product.
 * The deep run also enforces the limit, scaled by how much slower this machine is right now than an idle one. The baseline is work
 * unrelated to the product.
 */
export async function bound(t: TestContext, what: string, tookMs: number, limitMs: number): Promise<void> {
  if (isUsual) {
    t.diagnostic(`${what}: ${Math.round(tookMs)} ms (limit: ${limitMs} ms, enforced by the deep run)`);
    return;
  }
  const stretched = limitMs * Math.max(1, (await baselineMs()) / quietMs);
  t.diagnostic(`${what}: ${Math.round(tookMs)} ms (bound ${limitMs} ms, here ${Math.round(stretched)} ms)`);
  assert.ok(tookMs <= stretched, `${what} took ${Math.round(tookMs)} ms of ${Math.round(stretched)} ms`);
}

/** Returns the slowest of several rounds of the same work, including waits for the CPU. */
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
