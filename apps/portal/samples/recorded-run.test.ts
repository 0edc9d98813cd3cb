import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { describeRun } from './recorded-run.ts';

const samples = [createHash('sha256').update('curl -s "$LATCHKEY_URL/ping"').digest('hex').slice(0, 16)];
const record = { date: '2026-11-19', version: '0.1.0', samples };

test('a sample says when and with which version it ran, until it is changed', () => {
  assert.equal(describeRun('curl -s "$LATCHKEY_URL/ping"', record), 'ran on 2026-11-19 with 0.1.0');
  assert.equal(describeRun('curl "$LATCHKEY_URL/ping"', record), undefined);
});
