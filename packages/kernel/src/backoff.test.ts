import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackoff } from './backoff.ts';

/** Random bytes that make every delay a fixed share of its maximum. */
const share = (part: number) => ({
  bytes: (length: number) => new Uint8Array(length).fill(Math.floor(part * 256)),
});

test('delays double up to the cap', () => {
  const backoff = createBackoff({ firstMs: 1_000, longestMs: 10_000, stableMs: 60_000, random: share(0.999) });
  const delays = Array.from({ length: 6 }, () => Math.round(backoff.nextDelayMs() / 1_000));
  assert.deepEqual(delays, [1, 2, 4, 8, 10, 10]);
});

test('full jitter: a delay may be anything from zero to its ceiling', () => {
  const none = createBackoff({ firstMs: 1_000, longestMs: 10_000, stableMs: 60_000, random: share(0) });
  assert.deepEqual([none.nextDelayMs(), none.nextDelayMs()], [0, 0]);
  const half = createBackoff({ firstMs: 1_000, longestMs: 10_000, stableMs: 60_000, random: share(0.5) });
  assert.deepEqual([half.nextDelayMs(), half.nextDelayMs()], [502, 1004]);
});

test('only a connection that stayed open long enough resets the delay', () => {
  let nowMs = 0;
  const options = { firstMs: 1_000, longestMs: 60_000, stableMs: 30_000, random: share(0.999), nowMs: () => nowMs };
  const backoff = createBackoff(options);
  const next = () => Math.round(backoff.nextDelayMs() / 1_000);
  assert.deepEqual([next(), next()], [1, 2]);
  backoff.succeeded();
  nowMs += 29_999;
  assert.equal(next(), 4);
  backoff.succeeded();
  nowMs += 20_000;
  backoff.succeeded();
  nowMs += 10_000;
  assert.equal(next(), 1);
});
