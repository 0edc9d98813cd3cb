import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@latchkey/client';
import { Unreachable } from '../../reach-server.ts';
import { pauseBeforeRetry } from './failures.ts';

describe('retrying a read', () => {
  const refusal = (status: number, code: string, retryAfter: string | null = null) =>
    new ApiError(status, { code, message: 'No.' }, retryAfter);

  it('waits briefly for an unavailable server', () => {
    assert.equal(pauseBeforeRetry(new Unreachable('away')), 1_000);
  });

  it('does not keep users waiting twice for a server that hangs', () => {
    assert.equal(pauseBeforeRetry(new Unreachable('late', true)), undefined);
  });

  it('waits as long as a temporarily unavailable server requests', () => {
    assert.equal(pauseBeforeRetry(refusal(503, 'UNAVAILABLE')), 1_000);
    assert.equal(pauseBeforeRetry(refusal(503, 'UNAVAILABLE', '2')), 2_000);
  });

  it('does not retry what takes longer than users watch a page load, or what is refused', () => {
    assert.equal(pauseBeforeRetry(refusal(503, 'UNAVAILABLE', '30')), undefined);
    assert.equal(pauseBeforeRetry(refusal(403, 'ROLE_NOT_ALLOWED')), undefined);
    assert.equal(pauseBeforeRetry(refusal(429, 'RATE_LIMITED', '1')), undefined);
    assert.equal(pauseBeforeRetry(new Error('a bug')), undefined);
  });
});
