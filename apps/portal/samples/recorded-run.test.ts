import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { quickStart } from '../src/home/quick-start.ts';
import { readAllSamples } from './read-samples.ts';
import recorded from './recorded-run.json' with { type: 'json' };
import { describeRun } from './recorded-run.ts';

const samples = [createHash('sha256').update('curl -s "$LATCHKEY_URL/ping"').digest('hex').slice(0, 16)];
const record = { date: '2026-11-19', version: '0.1.0', samples };

test('a sample says when and with which version it ran, until it is changed', () => {
  assert.equal(describeRun('curl -s "$LATCHKEY_URL/ping"', record), 'ran on 2026-11-19 with 0.1.0');
  assert.equal(describeRun('curl "$LATCHKEY_URL/ping"', record), undefined);
});

test('each sample that runs has a record, and each record has its sample', () => {
  const runs = readAllSamples(portalFolder).filter(({ language, runs }) => language === 'bash' && runs);
  assert.ok(runs.length > 80, `${runs.length} samples run`);
  const again = 'record them with LATCHKEY_RECORD_SAMPLES=1 npm test -- portal/test/samples';
  const missing = runs.filter(({ text }) => describeRun(text) === undefined);
  assert.deepEqual(
    missing.map(({ file, line }) => `${file}:${line}`),
    [],
    again,
  );
  const texts = [...runs.map(({ text }) => text), quickStart.rule];
  const known = new Set(texts.map((text) => createHash('sha256').update(text).digest('hex').slice(0, 16)));
  assert.deepEqual(
    recorded.samples.filter((name) => !known.has(name)),
    [],
    again,
  );
});
