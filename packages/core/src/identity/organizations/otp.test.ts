import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Random } from '@latchkey/kernel';
import { seededRandom } from '../../testing/index.ts';
import { drawOtp } from './otp.ts';

function scripted(...draws: number[][]): Random {
  return { bytes: () => Uint8Array.from(draws.shift() ?? []), id: () => 'unused' };
}

it('a one-time password keeps its leading zeros', () => {
  assert.equal(drawOtp(scripted([0, 0, 42])), '000042');
});

it('numbers outside the uniform range are drawn again, so that no password is likelier than another', () => {
  // 15 999 999 is the last number of a full run, 16 000 000 the first one after it.
  assert.equal(drawOtp(scripted([0xf4, 0x23, 0xff])), '999999');
  assert.equal(drawOtp(scripted([0xf4, 0x24, 0x00], [0xff, 0xff, 0xff], [0, 0, 7])), '000007');
});

it('ten thousand one-time passwords fall evenly into ten buckets', () => {
  const random = seededRandom('otp');
  const buckets = new Array<number>(10).fill(0);
  for (let n = 0; n < 10_000; n += 1) {
    const bucket = Number(drawOtp(random)[0]);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  // Chi-squared with nine degrees of freedom: a uniform generator exceeds 27.9 once in a thousand runs.
  const chiSquared = buckets.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  assert.ok(chiSquared < 27.9, String(chiSquared));
});
