import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from './examine-installation.ts';
import { reportFindings } from './report.ts';

const ok: Finding = { level: 'ok', about: 'database', says: 'It answers.' };
const warn: Finding = { level: 'warn', about: 'clock', says: 'It is late.' };
const unknown: Finding = { level: 'unknown', about: 'path', says: 'No Latchkey runs.' };
const fail: Finding = { level: 'fail', about: 'chain 1', says: 'It does not answer.' };

test('doctor ends with what was not checked, and its exit code says so', (t) => {
  const written: string[] = [];
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0);
  const report = (...findings: Finding[]) => {
    written.length = 0;
    const code = reportFindings('This installation', findings);
    return { code, end: written.slice(findings.length + 1).join('') };
  };
  assert.deepEqual(report(ok), { code: 0, end: 'No problems found.\n' });
  assert.deepEqual(report(ok, warn), { code: 0, end: 'No problems found. 1 warning above.\n' });
  const unchecked = report(ok, unknown);
  assert.equal(unchecked.code, 2);
  assert.match(
    unchecked.end,
    /^Not checked: path\. Nothing is known about these\.\nNo problems found in what was checked\./,
  );
  assert.match(unchecked.end, /no proof that the installation works/);
  const failing = report(ok, unknown, fail);
  assert.equal(failing.code, 1);
  assert.match(failing.end, /^Not checked: path\..*\n1 problem found\. 1 check was not made\.\n$/);
});
